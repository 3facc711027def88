import { readSourceFiles } from "../../host/index.ts";
import type { Skipped, Tool } from "../../kernel/index.ts";
import { createTool, type UserToolServices } from "../command/create-tool.ts";
import { FollowedFiles } from "../followed-files.ts";
import { KeptFiles } from "../kept-files.ts";
import { type FileProblem, nameTaken, unreadable } from "../problems.ts";
import type { Source, SourceServices } from "../source.ts";
import { type MarkdownTool, readMarkdownTool } from "./markdown-tool.ts";
import { type Registered, sideBySide } from "./side-by-side.ts";
import { describeWithDocs, docsTool, hasLongDocs } from "./tool-docs.ts";

export interface MarkdownServices extends SourceServices, UserToolServices {
  /** The folders with the files: of two tools of one name, that of the first folder is taken. */
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
  const { toolSource, folders, watch, accepts } = services;
  const files = new KeptFiles<Registered>({
    accepts,
    read: (file) => {
      const { tool, problems } = readMarkdownTool(file);
      return { value: tool && { definition: tool, tool: toTool(tool, services) }, problems };
    },
  });
  let skipped: readonly FileProblem[] = [];
  const load = async () => {
    const found = await Promise.all(
      folders.map((folder) => readSourceFiles(folder, { match: isTool, maxBytes: mostBytes })),
    );
    files.update(found.flatMap((one) => one.files));
    const kept = files.values();
    const long = kept.map(({ definition }) => definition).filter(hasLongDocs);
    const { chosen, doubles } = sideBySide(kept);
    const tools = chosen.map(({ tool }) => tool);
    const taken = toolSource.put(long.length === 0 ? tools : [...tools, docsTool(long)]);
    skipped = [
      ...found.flatMap((one) => one.skipped.map(unreadable)),
      ...doubles,
      ...taken.map((one) => toTaken(one, chosen)),
    ];
  };
  const followed = new FollowedFiles({ paths: folders, watch, load });
  return {
    kind: "markdown",
    start: () => followed.start(),
    reload: () => followed.reload(),
    problems: () => [...files.problems().filter(({ level }) => level === "error"), ...skipped],
    async close() {
      await followed.close();
      toolSource.close();
    },
  };
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

function toTaken({ name, reason }: Skipped, chosen: readonly Registered[]): FileProblem {
  const where = chosen.find(({ tool }) => tool.name === name)?.definition.path ?? name;
  return nameTaken(where, `the tool "${name}"`, `${reason}, or say \`override: true\``);
}
