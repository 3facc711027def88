import { readSourceFiles, type SkippedFile, watchPath } from "../../host/index.ts";
import type { Skipped, Tool } from "../../kernel/index.ts";
import { createTool, type UserToolServices } from "../command/create-tool.ts";
import { KeptFiles } from "../kept-files.ts";
import type { FileProblem } from "../problems.ts";
import { Reload } from "../reload.ts";
import type { Source, SourceServices } from "../source.ts";
import { type MarkdownTool, readMarkdownTool } from "./markdown-tool.ts";
import { describeWithDocs, docsTool, hasLongDocs } from "./tool-docs.ts";

export interface MarkdownServices extends SourceServices, UserToolServices {
  /** Where the files are: of two tools of one name, that of the first folder is taken. */
  readonly folders: readonly string[];
}

export interface MarkdownSource extends Source {
  readonly kind: "markdown";
  problems(): readonly FileProblem[];
  /** Looks again: after the owner has accepted a file. */
  reload(): Promise<void>;
}

/** A file is small: a tool, and a page about it. */
const mostBytes = 256 * 1024;

/** The tools that `*.md` files describe. */
export function createMarkdownSource(services: MarkdownServices): MarkdownSource {
  const { shelf, folders, watch, accepts } = services;
  const files = new KeptFiles<Registered>({
    accepts,
    read: (file) => {
      const { tool, problems } = readMarkdownTool(file);
      return { value: tool && { definition: tool, tool: toTool(tool, services) }, problems };
    },
  });
  let skipped: readonly FileProblem[] = [];
  const watchers: { close(): void }[] = [];
  let closed = false;
  const reload = new Reload(async () => {
    const found = await Promise.all(
      folders.map((folder) => readSourceFiles(folder, { match: isTool, maxBytes: mostBytes })),
    );
    if (closed) return;
    files.update(found.flatMap((one) => one.files));
    const kept = files.values();
    const long = kept.map(({ definition }) => definition).filter(hasLongDocs);
    const { chosen, doubles } = firstOfEachName(kept);
    const tools = chosen.map(({ tool }) => tool);
    const taken = shelf.put(long.length === 0 ? tools : [...tools, docsTool(long)]);
    skipped = [
      ...found.flatMap((one) => one.skipped.map(toUnreadable)),
      ...doubles,
      ...taken.map((one) => toTaken(one, chosen)),
    ];
  });
  return {
    kind: "markdown",
    async start() {
      if (watch) watchers.push(...folders.map((folder) => watchPath(folder, () => void reload.now())));
      await reload.now();
    },
    reload: () => reload.now(),
    problems: () => [...files.problems().filter(({ level }) => level === "error"), ...skipped],
    async close() {
      closed = true;
      for (const watcher of watchers) watcher.close();
      shelf.close();
    },
  };
}

interface Registered {
  readonly definition: MarkdownTool;
  readonly tool: Tool;
}

/** Names that begin with a dot are those of editors' own files. */
export function isTool(relative: string): boolean {
  return /^[^./][^/]*\.md$/i.test(relative);
}

function toTool(definition: MarkdownTool, services: UserToolServices): Tool {
  const { tool, version } = definition;
  return createTool(
    tool,
    { origin: "markdown", pack: "markdown", version, description: describeWithDocs(definition) },
    services,
  );
}

function firstOfEachName(kept: readonly Registered[]): { chosen: Registered[]; doubles: FileProblem[] } {
  const chosen = new Map<string, Registered>();
  const doubles: FileProblem[] = [];
  for (const one of kept) {
    const first = chosen.get(one.tool.name);
    if (first === undefined) chosen.set(one.tool.name, one);
    else
      doubles.push(
        nameTaken(
          one.definition.path,
          one.tool.name,
          `"${first.definition.path}" has it; rename one of them`,
        ),
      );
  }
  return { chosen: Array.from(chosen.values()), doubles };
}

function toTaken({ name, reason }: Skipped, chosen: readonly Registered[]): FileProblem {
  const where = chosen.find(({ tool }) => tool.name === name)?.definition.path ?? name;
  return nameTaken(where, name, `${reason}, or say \`override: true\``);
}

function nameTaken(where: string, name: string, why: string): FileProblem {
  return {
    where,
    code: "SOURCE_NAME_TAKEN",
    message: `Cannot use the tool "${name}": ${why}`,
    level: "error",
  };
}

function toUnreadable({ path, reason }: SkippedFile): FileProblem {
  return {
    where: path,
    code: "SOURCE_UNREADABLE",
    message: `Cannot read "${path}": ${reason}`,
    level: "error",
  };
}
