import { createHash } from "node:crypto";
import { readUserTool, type UserTool } from "../command/user-tool.ts";
import { Fields } from "../fields.ts";
import { readFrontMatter } from "../front-matter.ts";
import { type FileProblem, Problems } from "../problems.ts";
import { type Example, readExamples } from "./examples.ts";

/** A tool that a Markdown file describes. */
export interface MarkdownTool {
  readonly path: string;
  readonly tool: UserTool;
  readonly examples: readonly Example[];
  /** What the file says below its fields. */
  readonly body: string;
  /** Of the whole text: an approval holds for one. */
  readonly version: string;
}

export interface ReadMarkdownTool {
  /** Undefined where there is an error among the problems. */
  readonly tool: MarkdownTool | undefined;
  readonly problems: readonly FileProblem[];
}

/** Reads one file. All that is wrong with it is told, each with its place. */
export function readMarkdownTool({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): ReadMarkdownTool {
  const problems = new Problems(path);
  const read = readFrontMatter(text);
  if ("kind" in read) {
    if (read.kind === "missing")
      problems.error("FRONT_MATTER_MISSING", `Cannot find the fields of the tool: ${read.message}`, {
        line: 1,
        column: 1,
      });
    else
      problems.error(
        "FRONT_MATTER_SYNTAX",
        `Cannot read the fields as YAML: ${read.message}; correct the YAML there`,
        read.place,
      );
    return { tool: undefined, problems: problems.list() };
  }
  let examples: readonly Example[] = [];
  const tool = readUserTool(new Fields(read.fields, [], problems), problems, {
    beside: "mcp",
    others: (fields) => {
      examples = readExamples(fields);
    },
  });
  const usable = tool !== undefined && !problems.hasErrors;
  return {
    tool: usable ? { path, tool, examples, body: read.body, version: versionOf(text) } : undefined,
    problems: problems.list(),
  };
}

function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
