import { type Clock, FairSemaphore, systemClock } from "../../base/index.ts";
import { mayFindProgram, type SourceFile } from "../../host/index.ts";
import type { SecretSource, Tool } from "../../kernel/index.ts";
import { FollowedFiles } from "../followed-files.ts";
import { misplaced, nameTaken, notTrusted, unreadable } from "../problems.ts";
import type { Source, SourceProblem, SourceServices } from "../source.ts";
import type { EffectServices } from "./effects.ts";
import {
  type Extension,
  type ExtensionLog,
  type ExtensionSurroundings,
  type ExtensionTimes,
  loadExtension,
} from "./extension.ts";
import { type ExtensionUnit, layOut, readExtensionFiles } from "./layout.ts";
import type { ModuleExamples } from "./module-examples.ts";
import { type Reloaded, reloadTool } from "./reload-tool.ts";
import { readSkill, type Skill, skillTools } from "./skills.ts";
import type { WorkerSurroundings } from "./worker-process.ts";

export interface ExtensionServices
  extends SourceServices,
    EffectServices,
    Pick<WorkerSurroundings, "processes" | "variable" | "limits"> {
  /** Folders of extensions, such as `agent/extensions`; of two extensions of one name the first is used. */
  readonly folders: readonly string[];
  /** The project folder: where relative paths in `meta.requires` start. */
  readonly folder: string;
  /** Has learnt each value before it gives it, so that it is taken out of every output. Absent: there are no secrets. */
  readonly secrets?: SecretSource;
  /** The hosts that may be reached at a private address. @default none */
  readonly allowedHosts?: readonly string[];
  /** Told of what extensions print with `console`, and give their `logger`. @default nobody is */
  readonly log?: (entry: ExtensionLog) => void;
  readonly clock?: Clock;
  readonly times?: ExtensionTimes;
}

export interface ExtensionSource extends Source {
  readonly kind: "extension";
  /** Reads the folders again; with `anew`, starts extensions again that did not change, too. */
  reload(options?: { readonly anew?: boolean }): Promise<Reloaded>;
  /** The examples of each module whose tools can be called. */
  examples(): readonly ModuleExamples[];
}

/** More at once would only wait for each other. */
const mostLoading = 4;

/** The tools and skills of the extension folders, and `extension_reload`. */
export function createExtensionSource(services: ExtensionServices): ExtensionSource {
  const source = new Extensions(services);
  return {
    kind: "extension",
    start: () => source.start(),
    reload: (options) => source.reload(options),
    problems: () => source.problems(),
    examples: () => source.examples(),
    close: () => source.close(),
  };
}

class Extensions {
  readonly #services: ExtensionServices;
  readonly #around: ExtensionSurroundings;
  readonly #reloadTool: Tool;
  #loaded = new Map<string, Extension>();
  #skills: readonly Skill[] = [];
  #skillTools: readonly Tool[] = [];
  #problems: readonly SourceProblem[] = [];
  readonly #files: FollowedFiles;
  /** The next load starts also those again that did not change. */
  #anew = false;

  constructor(services: ExtensionServices) {
    const { clock = systemClock, times = {}, allowedHosts = [], secrets, log, variable } = services;
    this.#services = services;
    const hasProgram = (name: string) => mayFindProgram(name, variable("PATH") ?? "");
    this.#around = { ...services, clock, times, allowedHosts, secrets, log, hasProgram };
    this.#reloadTool = reloadTool(() => this.reload({ anew: true }));
    const { folders: paths, watch } = services;
    this.#files = new FollowedFiles({ paths, watch, load: () => this.#load() });
  }

  start(): Promise<void> {
    return this.#files.start();
  }

  async reload({ anew = false }: { readonly anew?: boolean } = {}): Promise<Reloaded> {
    this.#anew ||= anew;
    await this.#files.reload();
    return this.#summary();
  }

  problems(): readonly SourceProblem[] {
    const skipped = this.#services.toolSource.skipped().map(({ name, reason }) => {
      const owner = Array.from(this.#loaded.values()).find(({ tools }) =>
        tools.some((tool) => tool.name === name),
      );
      return nameTaken(owner?.unit.where ?? name, `the tool "${name}"`, reason);
    });
    return [...this.#problems, ...skipped];
  }

  examples(): readonly ModuleExamples[] {
    return Array.from(this.#loaded.values()).flatMap((extension) => extension.examples());
  }

  async close(): Promise<void> {
    await this.#files.close();
    this.#services.toolSource.close();
    await Promise.all(Array.from(this.#loaded.values(), (one) => one.close()));
    this.#loaded.clear();
  }

  /** Skills, then secrets and tools, then all of it at once into the registry: nobody sees a part. */
  async #load(): Promise<void> {
    const anew = this.#anew;
    this.#anew = false;
    const problems: SourceProblem[] = [];
    const { units, skills } = await this.#read(problems);
    await this.#readSkills(skills, problems);
    const retired = await this.#loadAll(units, { anew, problems });
    this.#problems = problems.toSorted((a, b) => (a.where < b.where ? -1 : Number(a.where > b.where)));
    const tools = Array.from(this.#loaded.values()).flatMap((one) => one.tools);
    const isUsed = units.length + skills.length > 0;
    this.#services.toolSource.put(isUsed ? [this.#reloadTool, ...this.#skillTools, ...tools] : []);
    for (const extension of retired) void extension.retire();
  }

  async #read(problems: SourceProblem[]): Promise<{ units: ExtensionUnit[]; skills: SourceFile[] }> {
    const units = new Map<string, ExtensionUnit>();
    const skills: SourceFile[] = [];
    for (const folder of this.#services.folders) {
      const { files, skipped } = await readExtensionFiles(folder);
      problems.push(...skipped.map(unreadable));
      const layout = layOut(files, this.#services.accepts);
      problems.push(...layout.unaccepted.map(({ path }) => notTrusted(path)));
      problems.push(...layout.misplaced.map(({ path }) => misplaced(path)));
      for (const file of layout.skills) {
        if (this.#services.accepts(file)) skills.push(file);
        else problems.push(notTrusted(file.path));
      }
      for (const unit of layout.units) {
        const fault = faultOfName(unit, units.get(unit.name));
        if (fault === undefined) units.set(unit.name, unit);
        else problems.push({ where: unit.where, code: "EXTENSION_INVALID", message: fault });
      }
    }
    return { units: Array.from(units.values()), skills };
  }

  async #readSkills(files: readonly SourceFile[], problems: SourceProblem[]): Promise<void> {
    const { secrets } = this.#services;
    const hasSecret = async (name: string) => (await secrets?.get("local", name)) !== undefined;
    const found = new Map<string, Skill>();
    for (const file of files) {
      const { skill, problems: own } = await readSkill(file, { ...this.#around, hasSecret });
      problems.push(...own);
      if (skill === undefined) continue;
      if (!found.has(skill.name)) found.set(skill.name, skill);
      else {
        const message = `Cannot use the skill "${skill.name}": another one has the name; rename one of them`;
        problems.push({ where: file.path, code: "SOURCE_NAME_TAKEN", message });
      }
    }
    const skills = Array.from(found.values());
    if (JSON.stringify(skills) === JSON.stringify(this.#skills)) return;
    this.#skills = skills;
    this.#skillTools = skillTools(skills);
  }

  /** Returns the extensions that were replaced or are gone; they may still be called. */
  async #loadAll(
    units: readonly ExtensionUnit[],
    { anew, problems }: { readonly anew: boolean; readonly problems: SourceProblem[] },
  ): Promise<Extension[]> {
    const before = this.#loaded;
    const places = new FairSemaphore(mostLoading);
    const loading = units.map(async (unit) => {
      const former = before.get(unit.name);
      const refused = unit.own.filter((file) => !this.#services.accepts(file));
      problems.push(...refused.map(({ path }) => notTrusted(path)));
      if (refused.length > 0)
        return { unit, extension: refused.some((file) => isFromFile(former, file)) ? undefined : former };
      const isSame = former?.unit.hash === unit.hash && former.problems.length === 0;
      if (isSame && !anew) return { unit, extension: former };
      await places.acquire("extensions");
      try {
        const { extension, problems: own } = await loadExtension(unit, this.#around);
        problems.push(
          ...own.map((problem) => ((extension ?? former) === extension ? problem : withFormer(problem))),
        );
        return { unit, extension: extension ?? former };
      } finally {
        places.release();
      }
    });
    this.#loaded = new Map(
      (await Promise.all(loading)).flatMap(({ unit, extension }) =>
        extension === undefined ? [] : [[unit.name, extension]],
      ),
    );
    const kept = new Set(this.#loaded.values());
    return Array.from(before.values()).filter((extension) => !kept.has(extension));
  }

  #summary(): Reloaded {
    return {
      extensions: Array.from(this.#loaded.values(), ({ unit: { name, description }, tools }) => ({
        name,
        ...(description !== undefined && { description }),
        tools: tools.map((tool) => tool.name),
      })),
      skills: this.#skills.map(({ name }) => name),
      problems: this.problems(),
    };
  }
}

/** The very text that an extension runs: its owner has taken the word back. */
function isFromFile(former: Extension | undefined, file: SourceFile): boolean {
  return former?.unit.own.some(({ path, text }) => path === file.path && text === file.text) === true;
}

function withFormer(problem: SourceProblem): SourceProblem {
  return { ...problem, message: `${problem.message}; the version before it goes on` };
}

function faultOfName({ name, where }: ExtensionUnit, other: ExtensionUnit | undefined): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    return `Cannot use the extension "${where}": its name must be letters, digits, ".", "_" and "-"; rename it`;
  if (other !== undefined)
    return `Cannot use the extension "${where}": "${other.where}" has its name; rename one of them`;
  return undefined;
}
