import { readUserTool, type UserTool } from "../command/user-tool.ts";
import { type Example, readExamples } from "../examples.ts";
import { Fields } from "../fields.ts";
import { readFrontMatter } from "../front-matter.ts";
import { type FileProblem, Problems } from "../problems.ts";
import { makeVersion } from "../version-of.ts";
import { readVersionFields, type VersionFields } from "./version-fields.ts";

/** A tool that a Markdown file describes. */
export interface MarkdownTool extends VersionFields {
  readonly path: string;
  readonly tool: UserTool;
  readonly examples: readonly Example[];
  /** What the file says below its fields. */
  readonly body: string;
  /** The version of the whole text: an approval holds for one. */
  readonly version: string;
}

export interface ReadMarkdownTool {
  /** Undefined where there is an error among the problems. */
  readonly tool: MarkdownTool | undefined;
  readonly problems: readonly FileProblem[];
}

/**
 * Reads the text of one file. It never throws: `problems` lists all that is wrong, each with its place.
 *
 * @example
 * ```ts
 * const text = "---\nid: count\nname: Count\ndescription: Count words.\ncommand: wc -w notes.txt\n---\n";
 * const { tool, problems } = readMarkdownTool({ path: "count.md", text });
 * problems; // → []
 * tool?.tool.id; // → "count"
 * ```
 */
export function readMarkdownTool({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): ReadMarkdownTool {
  const problems = new Problems(path);
  const read = readFrontMatter(text);
  if ("code" in read) {
    problems.error(read.code, `Cannot read the tool: ${read.message}`, read.place);
    return { tool: undefined, problems: problems.list() };
  }
  let examples: readonly Example[] = [];
  let versions: VersionFields = { label: undefined, share: undefined };
  const tool = readUserTool(new Fields(read.fields, [], problems), problems, {
    beside: "mcp",
    others: (fields) => {
      examples = readExamples(fields);
      versions = readVersionFields(fields);
    },
  });
  const usable = tool !== undefined && !problems.hasErrors;
  return {
    tool: usable
      ? { path, tool, examples, ...versions, body: read.body, version: makeVersion(text) }
      : undefined,
    problems: problems.list(),
  };
}
