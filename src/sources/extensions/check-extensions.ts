import { fileURLToPath } from "node:url";
import { getErrorMessage, isRecord, systemClock } from "../../base/index.ts";
import { type SourceFile, stripTypes } from "../../host/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { type FileProblem, misplaced, notTrusted, unreadable } from "../problems.ts";
import { readDefinition } from "./definition.ts";
import { ExtensionError } from "./errors.ts";
import { ExtensionWorker } from "./extension-worker.ts";
import { type ExtensionUnit, layOut, readExtensionFiles } from "./layout.ts";
import { readModuleExamples } from "./module-examples.ts";
import { readRequirements } from "./requirements.ts";
import { UnitProblems } from "./unit-problems.ts";
import { lentPackages, noPowers, openWorker, type WorkerSurroundings } from "./worker-process.ts";

export interface ExtensionChecks extends WorkerSurroundings {
  /** Folders of extensions, such as `agent/extensions`. */
  readonly folders: readonly string[];
  /** Only the extensions that these files belong to. @default all */
  readonly named?: readonly string[];
  /** Whether the owner has accepted this text, in this place. Files that are named are loaded without it. */
  readonly accepts: (file: Pick<SourceFile, "path" | "text">) => boolean;
}

export interface CheckedExtensions {
  /** The files that were loaded. */
  readonly files: readonly string[];
  readonly problems: readonly FileProblem[];
}

/** Loads extensions in the sandbox, without any of what they ask for, and says what is wrong with them. */
export async function checkExtensions(checks: ExtensionChecks): Promise<CheckedExtensions> {
  const { folders, named, accepts } = checks;
  const files: string[] = [];
  const problems: FileProblem[] = [];
  for (const folder of folders) {
    const found = await readExtensionFiles(folder);
    problems.push(...found.skipped.map(unreadable));
    const layout = layOut(found.files, named === undefined ? accepts : () => true);
    const beside = named === undefined ? layout.misplaced : [];
    files.push(...beside.map(({ path }) => path));
    problems.push(...beside.map(({ path }) => misplaced(path)));
    for (const unit of layout.units) {
      if (named !== undefined && !unit.own.some(({ path }) => named.includes(path))) continue;
      files.push(...unit.own.map(({ path }) => path));
      const refused = named === undefined ? unit.own.filter((file) => !accepts(file)) : [];
      problems.push(
        ...refused.map(
          ({ path }): FileProblem => ({
            ...notTrusted(path, "; `haft tools lint FILE` loads it all the same, in the sandbox"),
            level: "warning",
          }),
        ),
      );
      problems.push(...(refused.length === 0 ? await checkUnit(unit, checks) : refused.flatMap(checkSyntax)));
    }
  }
  return { files, problems };
}

/** What is wrong with a file that may not be loaded, as far as reading it tells. */
function checkSyntax({ path, text }: SourceFile): FileProblem[] {
  if (path.endsWith(".json") || path.endsWith(".md")) return [];
  try {
    stripTypes(text);
    return [];
  } catch (error) {
    // The stack begins with the place: ":2".
    const line = /^:(\d+)\n/.exec(error instanceof Error ? (error.stack ?? "") : "")?.[1];
    const message = `Cannot load "${path}": ${getErrorMessage(error)}; mend it`;
    return [{ where: path, line: Number(line ?? 1), code: "EXTENSION_LOAD", message, level: "error" }];
  }
}

async function checkUnit(unit: ExtensionUnit, around: WorkerSurroundings): Promise<readonly FileProblem[]> {
  const problems = new UnitProblems(unit);
  try {
    const worker = new ExtensionWorker(await openWorker(noPowers, around), {
      name: unit.name,
      clock: systemClock,
      startMs: 20_000,
      graceMs: 500,
      secret: () => Promise.reject(new Error("Cannot give a secret while the file is only checked")),
      log: () => {},
    });
    try {
      await loadUnit(unit, { worker, problems, around });
    } finally {
      await worker.close();
    }
  } catch (error) {
    const code = error instanceof ExtensionError ? error.code : "EXTENSION_LOAD";
    problems.add(unit.where, code, getErrorMessage(error));
  }
  return problems.list.map((problem) => ({
    line: 1,
    ...problem,
    level: problem.code === "EXTENSION_UNMET" ? "warning" : "error",
  }));
}

interface UnitCheck {
  readonly worker: ExtensionWorker;
  readonly problems: UnitProblems;
  readonly around: WorkerSurroundings;
}

async function loadUnit(unit: ExtensionUnit, { worker, problems, around }: UnitCheck): Promise<void> {
  const { files, entries, signature } = unit;
  const packages = lentPackages(around);
  const loaded = await worker.load({ files, entries, packages, ...(signature && { signature }) });
  const sound: string[] = [];
  const examples = new Map<unknown, unknown>();
  for (const { url, requires, examples: given, fault } of loaded.filter(isRecord)) {
    examples.set(url, given);
    const needs = readRequirements(requires);
    if (fault !== undefined) problems.fault(url, fault);
    else if (typeof needs === "string") problems.skip(url, "EXTENSION_INVALID", `${needs}; mend it`);
    else sound.push(url);
  }
  for (const { url, tools, fault } of (await worker.make(sound)).filter(isRecord)) {
    if (fault !== undefined) problems.fault(url, fault);
    const made: readonly unknown[] = Array.isArray(tools) ? tools : [];
    for (const given of made) checkTool(url, given, problems);
    if (made.length === 0) continue;
    const read = readModuleExamples({
      where: fileURLToPath(url),
      extension: unit.name,
      text: files.find((file) => file.url === url)?.text ?? "",
      tools: made.map((tool) => (isRecord(tool) ? String(tool["name"]) : "")),
      given: examples.get(url),
    });
    problems.list.push(...read.problems);
  }
}

function checkTool(url: string, given: unknown, problems: UnitProblems): void {
  try {
    const { parameters, output } = readDefinition(given);
    compileJsonSchema(parameters);
    if (output !== undefined) compileJsonSchema(output);
  } catch (error) {
    problems.skip(url, "EXTENSION_INVALID", `${getErrorMessage(error)}; mend the tool`);
  }
}
