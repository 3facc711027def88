import { fileURLToPath } from "node:url";
import { type Clock, getErrorMessage, isRecord } from "../../base/index.ts";
import type { SecretSource, Tool } from "../../kernel/index.ts";
import type { SourceProblem } from "../source.ts";
import { readDefinition, type ToolDefinitionData } from "./definition.ts";
import type { EffectServices } from "./effects.ts";
import { ExtensionError } from "./errors.ts";
import { extensionTool } from "./extension-tool.ts";
import { ExtensionWorker, type PrintedMessage } from "./extension-worker.ts";
import { KeptWorker } from "./kept-worker.ts";
import type { ExtensionUnit } from "./layout.ts";
import type { ModuleSet } from "./messages.ts";
import { type ModuleExamples, readModuleExamples } from "./module-examples.ts";
import {
  findMissing,
  type Requirements,
  readRequirements,
  resolvePlaces,
  type Surroundings,
  unite,
} from "./requirements.ts";
import { UnitProblems } from "./unit-problems.ts";
import {
  lentPackages,
  noPowers,
  openWorker,
  type WorkerPowers,
  type WorkerSurroundings,
} from "./worker-process.ts";

/** Something that an extension printed with `console`, or gave its logger. */
export interface ExtensionLog extends PrintedMessage {
  readonly extension: string;
}

export interface ExtensionSurroundings
  extends EffectServices,
    WorkerSurroundings,
    Omit<Surroundings, "hasSecret"> {
  /** The folder at which relative paths start. */
  readonly folder: string;
  readonly secrets: SecretSource | undefined;
  readonly clock: Clock;
  readonly times: ExtensionTimes;
  readonly log: ((entry: ExtensionLog) => void) | undefined;
}

export interface ExtensionTimes {
  /** The time for modules to load and tools to be made. @default 20,000 */
  readonly startMs?: number;
  /** The time from the end of a call's own to the worker's. @default 500 */
  readonly graceMs?: number;
  /** The time after which a worker that nobody calls is closed. @default 300,000 */
  readonly idleMs?: number;
}

/** An extension whose tools can be called. */
export interface Extension {
  readonly unit: ExtensionUnit;
  readonly tools: readonly Tool[];
  /** The problems of those of its files that are no tools. */
  readonly problems: readonly SourceProblem[];
  /** The calls that its author gave, for each module that makes tools. */
  examples(): readonly ModuleExamples[];
  /** When the calls that run have ended. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

export interface LoadedExtension {
  /** Absent: it has no tool that can be used. */
  readonly extension: Extension | undefined;
  readonly problems: readonly SourceProblem[];
}

const mostTools = 100;
const mostChars = 8_000_000;
/** The scope in which an installation keeps its secrets. */
const ownScope = "local";

/**
 * Loads an extension: first without anything, to see what it asks for; then with that, if all of it is there. Never
 * rejects for what the extension does.
 */
export async function loadExtension(
  unit: ExtensionUnit,
  around: ExtensionSurroundings,
): Promise<LoadedExtension> {
  const problems = new UnitProblems(unit);
  try {
    return { extension: await new Loading(unit, around, problems).run(), problems: problems.list };
  } catch (error) {
    problems.add(
      unit.where,
      error instanceof ExtensionError ? error.code : "EXTENSION_LOAD",
      getErrorMessage(error),
    );
    return { extension: undefined, problems: problems.list };
  }
}

class Loading {
  readonly #unit: ExtensionUnit;
  readonly #around: ExtensionSurroundings;
  readonly #problems: UnitProblems;
  readonly #examples = new Map<string, unknown>();

  constructor(unit: ExtensionUnit, around: ExtensionSurroundings, problems: UnitProblems) {
    this.#unit = unit;
    this.#around = around;
    this.#problems = problems;
  }

  async run(): Promise<Extension | undefined> {
    const chars = this.#unit.files.reduce((sum, { text }) => sum + text.length, 0);
    if (chars > mostChars) {
      const why = `its files have ${chars} characters together, and at most ${mostChars} are taken; make them smaller`;
      throw new ExtensionError(
        "EXTENSION_TOO_LARGE",
        `Cannot use the extension "${this.#unit.name}": ${why}`,
      );
    }
    let worker = await this.#open(noPowers, []);
    try {
      const wanted = await this.#readRequirements(worker);
      const requires = unite(Array.from(wanted.values()));
      const declared: Declared = {
        wanted,
        powers: this.#toPowers(requires),
        secrets: requires.secrets,
        entries: Array.from(wanted.keys()),
      };
      if (Object.values(requires).some((list) => list.length > 0)) {
        await worker.close();
        worker = await this.#open(declared.powers, declared.secrets);
        await worker.load(this.#modules(declared.entries));
      }
      const definitions = await this.#make(worker, declared.entries);
      if (definitions.length > 0) return this.#toExtension(worker, definitions, declared);
    } catch (error) {
      await worker.close();
      throw error;
    }
    await worker.close();
    return undefined;
  }

  async #open(powers: WorkerPowers, secrets: readonly string[]): Promise<ExtensionWorker> {
    const { clock, times, secrets: source, log } = this.#around;
    const { name } = this.#unit;
    return new ExtensionWorker(await openWorker(powers, this.#around), {
      name,
      clock,
      startMs: times.startMs ?? 20_000,
      graceMs: times.graceMs ?? 500,
      secret: async (secret) => {
        const value = secrets.includes(secret) ? await source?.get(ownScope, secret) : undefined;
        if (value !== undefined) return value;
        throw new Error(
          `Cannot give "${name}" the secret "${secret}": it is not one of its meta.requires.secrets, or not stored; declare it there, and store it with \`haft secret set ${secret}\``,
        );
      },
      log: (entry) => log?.({ extension: name, ...entry }),
    });
  }

  #modules(entries: readonly string[]): ModuleSet {
    const { files, signature } = this.#unit;
    const packages = lentPackages(this.#around);
    return { files, entries, packages, ...(signature !== undefined && { signature }) };
  }

  /** The requirements of each entry that has all it asks for. */
  async #readRequirements(worker: ExtensionWorker): Promise<Map<string, Requirements>> {
    const { secrets } = this.#around;
    const hasSecret = async (name: string) => (await secrets?.get(ownScope, name)) !== undefined;
    const wanted = new Map<string, Requirements>();
    for (const { url, requires: given, examples, fault } of this.#answers(
      await worker.load(this.#modules(this.#unit.entries)),
    )) {
      this.#examples.set(url, examples);
      if (fault !== undefined) {
        this.#problems.fault(url, fault);
        continue;
      }
      const requires = readRequirements(given);
      if (typeof requires === "string") {
        this.#problems.skip(url, "EXTENSION_INVALID", `${requires}; mend it`);
        continue;
      }
      const missing = await findMissing(requires, { ...this.#around, hasSecret });
      if (missing.length === 0) wanted.set(url, requires);
      else this.#problems.skip(url, "EXTENSION_UNMET", `${missing.join("; ")}`);
    }
    return wanted;
  }

  #toPowers({ env, hosts, read, write }: Requirements): WorkerPowers {
    const { folder, workspace, variable } = this.#around;
    const places = (paths: readonly string[]) =>
      resolvePlaces(paths, folder).map((path) => workspace.locate(path, { allowedPaths: [folder] }).path);
    return {
      read: places(read),
      write: places(write),
      hosts,
      environment: Object.fromEntries(env.map((name) => [name, variable(name) ?? ""])),
    };
  }

  async #make(worker: ExtensionWorker, entries: readonly string[]): Promise<readonly Definition[]> {
    const definitions: Definition[] = [];
    for (const { url, tools, fault } of this.#answers(await worker.make(entries))) {
      if (!entries.includes(url)) continue;
      if (fault !== undefined) this.#problems.fault(url, fault);
      else if (!Array.isArray(tools))
        this.#problems.skip(url, "EXTENSION_UNMET", "its factory made no tool here");
      else definitions.push(...tools.flatMap((given: unknown) => this.#define(url, given)));
    }
    if (definitions.length <= mostTools) return definitions;
    this.#problems.add(
      this.#unit.where,
      "EXTENSION_INVALID",
      `Cannot use all of "${this.#unit.name}": it has ${definitions.length} tools, and at most ${mostTools} are taken; split it`,
    );
    return definitions.slice(0, mostTools);
  }

  #define(url: string, given: unknown): Definition[] {
    try {
      return [{ url, data: readDefinition(given) }];
    } catch (error) {
      this.#problems.skip(url, "EXTENSION_INVALID", `${getErrorMessage(error)}; mend the tool`);
      return [];
    }
  }

  /** Those of a worker's answers that speak of modules of this extension. */
  *#answers(list: readonly unknown[]): Generator<Record<string, unknown> & { readonly url: string }> {
    for (const one of list)
      if (isRecord(one) && this.#unit.entries.includes(one["url"] as string))
        yield one as { readonly url: string };
  }

  #toExtension(worker: ExtensionWorker, definitions: readonly Definition[], declared: Declared): Extension {
    const { clock, times } = this.#around;
    const unit = this.#unit;
    const kept = new KeptWorker(worker, {
      name: unit.name,
      clock,
      idleMs: times.idleMs ?? 300_000,
      start: async () => {
        const again = await this.#open(declared.powers, declared.secrets);
        try {
          await again.load(this.#modules(declared.entries));
          await again.make(declared.entries);
          return again;
        } catch (error) {
          await again.close();
          throw error;
        }
      },
    });
    const tools = definitions.map(({ url, data }) => {
      const secrets = [...(declared.wanted.get(url)?.secrets ?? []), ...(data.secrets ?? [])];
      const powers = declared.powers;
      return extensionTool(
        { ...data, ...(secrets.length > 0 && { secrets }) },
        { unit, powers, kept, services: this.#around },
      );
    });
    return {
      unit,
      tools,
      problems: this.#problems.list,
      examples: () => this.#readExamples(definitions),
      retire: () => kept.retire(),
      close: () => kept.close(),
    };
  }

  #readExamples(definitions: readonly Definition[]): ModuleExamples[] {
    const { name: extension, files } = this.#unit;
    return Array.from(
      Map.groupBy(definitions, ({ url }) => url),
      ([url, made]) =>
        readModuleExamples({
          where: fileURLToPath(url),
          extension,
          text: files.find((file) => file.url === url)?.text ?? "",
          tools: made.map(({ data }) => data.name),
          given: this.#examples.get(url),
        }),
    );
  }
}

interface Definition {
  readonly url: string;
  readonly data: ToolDefinitionData;
}

/** What a worker of the extension is started with, each time. */
interface Declared {
  readonly wanted: ReadonlyMap<string, Requirements>;
  readonly powers: WorkerPowers;
  readonly secrets: readonly string[];
  readonly entries: readonly string[];
}
