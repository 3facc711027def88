import { readFileSync } from "node:fs";

/** A fenced block of a page, with what an HTML comment right before it says to the tests. */
export interface DocBlock {
  readonly page: string;
  readonly line: number;
  /** The word after the fence; "" where there is none. */
  readonly language: string;
  readonly text: string;
  /** A path in the project that the block is written to before what follows it. */
  readonly file: string | undefined;
  /** The key of the configuration that the block is an excerpt of. */
  readonly key: string | undefined;
  /** A command that sets up what the block shows. */
  readonly before: string | undefined;
  /** Code that stands before the block where it is compiled. */
  readonly given: string;
  /** Why the block is not run. */
  readonly notRun: string | undefined;
  /** Why single commands are not run, by a part of the command. */
  readonly skipped: ReadonlyMap<string, string>;
  /** Commands, by a part of each, that a person says yes to. */
  readonly agreed: readonly string[];
  /** What single commands leave with, where that is not 0, by a part of the command. */
  readonly codes: ReadonlyMap<string, number>;
}

/** The fenced blocks of a page, in their order. */
export function readBlocks(page: string): readonly DocBlock[] {
  const blocks: DocBlock[] = [];
  const lines = readFileSync(page, "utf8").split("\n");
  let comments: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const fence = /^ *(`{3,})(\w*)/.exec(line);
    if (fence === null) {
      if (line.startsWith("<!--")) {
        const end = lines.findIndex((one, index) => index >= at && one.includes("-->"));
        comments.push(lines.slice(at, end + 1).join("\n"));
        at = end;
      } else if (line.trim() !== "") comments = [];
      continue;
    }
    const [, ticks = "", language = ""] = fence;
    const end = lines.findIndex((one, index) => index > at && one.trim() === ticks);
    blocks.push(
      toBlock({ page, line: at + 1, language, text: lines.slice(at + 1, end).join("\n") }, comments),
    );
    comments = [];
    at = end;
  }
  return blocks;
}

type Found = Pick<DocBlock, "page" | "line" | "language" | "text">;

function toBlock(found: Found, comments: readonly string[]): DocBlock {
  const said = comments.map((text) => text.replace(/^<!--\s*/, "").replace(/\s*-->$/, ""));
  const after = (start: string) => said.find((text) => text.startsWith(start))?.slice(start.length);
  const each = (pattern: RegExp) => said.flatMap((text) => [...text.matchAll(pattern)]);
  return {
    ...found,
    file: after("file: "),
    key: after("part of: "),
    before: after("before: "),
    given: after("given:\n") ?? "",
    notRun: after("not run: "),
    skipped: new Map(each(/^not run \((.*?)\): (.*)$/gm).map(([, part = "", why = ""]) => [part, why])),
    agreed: each(/^answered with --yes \((.*?)\)$/gm).map(([, part = ""]) => part),
    codes: new Map(
      each(/^leaves with (\d+) \((.*?)\)$/gm).map(([, code, part = ""]) => [part, Number(code)]),
    ),
  };
}

/** A command that a page shows and, in a transcript, what the page says that it prints. */
export interface DocCommand {
  readonly command: string;
  /** Absent where the page shows no output. */
  readonly output?: string;
}

/** The commands of a block for a shell, or of a transcript. */
export function readCommands(block: DocBlock): readonly DocCommand[] {
  if (block.language !== "console") return listCommands(block).map((command) => ({ command }));
  return block.text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...lines] = part.trimEnd().split("\n");
      return lines.length === 0 ? { command } : { command, output: lines.join("\n") };
    });
}

/** The commands of a block for a shell, each whole, without comments at their ends. */
function listCommands({ text }: DocBlock): readonly string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    open += `${open === "" ? "" : "\n"}${line}`;
    if (/[\\|]$|\bdo$/.test(open) || (/\bdo\b/.test(open) && !/\bdone\b/.test(open))) continue;
    const command = open.replace(/(^|\s)#\s.*$/s, "").trim();
    if (command !== "") commands.push(command);
    open = "";
  }
  return commands;
}
