import { hash } from "node:crypto";
import type { NewsNote, Prefix } from "../../agent/index.ts";
import { isRecord, type Json, oneLine } from "../../base/index.ts";
import type { ChatTool } from "../../model/index.ts";

/** What the model was told about its tools since the beginning of an epoch. */
export interface ToldTools {
  /** A digest of the definition of each tool that was told. */
  readonly told: Readonly<Record<string, string>>;
  /** The tools that can't be used, with the reason for each. */
  readonly gone: Readonly<Record<string, string>>;
  /** The handle of the interaction. */
  readonly handle: string;
}

/** The tools of an agent as they are now. */
export interface CurrentTools {
  /** The tools that it is shown, in the order in which they came. */
  readonly definitions: readonly ChatTool[];
  /** The reason why a tool can't be called; undefined for one that can. */
  readonly whyGone: (name: string) => string | undefined;
  readonly handle: string;
}

/** The difference between the tools that the model knows of and those that there are. */
export interface ToolChange {
  /** Tools that it was never shown. */
  readonly came: readonly ChatTool[];
  /** Tools that take other arguments, or do something else, than it was told. */
  readonly changed: readonly ChatTool[];
  /** The names of tools that can be called again. */
  readonly back: readonly string[];
  /** Tools that can't be called any more, with the reason for each. */
  readonly gone: Readonly<Record<string, string>>;
  readonly state: ToldTools;
}

/** Reads the state of a note about tools; unreadable parts count as empty. */
export function readToldTools(state: Json | undefined, prefix: Prefix | undefined): ToldTools {
  const { told, gone, handle } = isRecord(state) ? state : {};
  return {
    told: readTexts(told),
    gone: readTexts(gone),
    handle: typeof handle === "string" ? handle : (prefix?.handle ?? ""),
  };
}

/** Compares the tools that the model knows of with those that there are. Undefined if nothing differs. */
export function compareTools(
  prefix: Prefix,
  before: ToldTools,
  { definitions, whyGone, handle }: CurrentTools,
): ToolChange | undefined {
  const known: Readonly<Record<string, string>> = { ...digestPrefix(prefix), ...before.told };
  const told = { ...before.told };
  const came: ChatTool[] = [];
  const changed: ChatTool[] = [];
  for (const tool of definitions) {
    const digest = digestTool(tool);
    const earlier = Object.hasOwn(known, tool.name) ? known[tool.name] : undefined;
    if (earlier === digest) continue;
    (earlier === undefined ? came : changed).push(tool);
    told[tool.name] = digest;
  }
  const goneNow = Object.fromEntries(
    Object.keys(known).flatMap((name) => {
      const why = whyGone(name);
      return why === undefined ? [] : [[name, why]];
    }),
  );
  const gone = Object.fromEntries(Object.entries(goneNow).filter(([name, why]) => before.gone[name] !== why));
  const back = Object.keys(before.gone).filter((name) => !Object.hasOwn(goneNow, name));
  if ([came, changed, back, Object.keys(gone)].every((list) => list.length === 0)) return undefined;
  return { came, changed, back, gone, state: { told, gone: goneNow, handle } };
}

/** The most characters of definitions in one note; of the tools beyond it only the names are told. */
const mostChars = 40_000;

/** Tells of a change of the tools. The definitions of the prefix stay as they are. */
export function noteTools({ came, changed, back, gone, state }: ToolChange): NewsNote {
  const lines = [
    ...define(
      came,
      'These tools are new. They are not in your list yet: call each with call_tool, as in {"name": …, "arguments": …}.',
    ),
    ...define(changed, "These tools of yours take these arguments now, whatever your list says:"),
    ...(back.length === 0 ? [] : [`These can be called again: ${back.join(", ")}.`]),
    ...Object.entries(gone).map(
      ([name, why]) =>
        `"${name}" can't be called any more, though it is still in your list: ${withoutMarks(oneLine(why))}.`,
    ),
  ];
  return {
    kind: "note",
    about: "tools",
    text: lines.join("\n"),
    state: { told: { ...state.told }, gone: { ...state.gone }, handle: state.handle },
  };
}

function define(tools: readonly ChatTool[], heading: string): readonly string[] {
  if (tools.length === 0) return [];
  let left = mostChars;
  const shown: string[] = [];
  const named: string[] = [];
  for (const { name, description, parameters } of tools) {
    const line = withoutMarks(JSON.stringify({ name, description, parameters }));
    left -= line.length;
    if (left >= 0) shown.push(line);
    else named.push(name);
  }
  const rest = `There are also ${named.join(", ")}: describe_tools has their arguments.`;
  return [heading, ...shown, ...(named.length === 0 ? [] : [rest])];
}

/** Escapes markup, so that no text of a server can end the note around it. */
function withoutMarks(text: string): string {
  return text.replaceAll("<", "\\u003c");
}

const digested = new WeakMap<Prefix, Readonly<Record<string, string>>>();

function digestPrefix(prefix: Prefix): Readonly<Record<string, string>> {
  let digests = digested.get(prefix);
  if (digests === undefined) {
    digests = Object.fromEntries(prefix.tools.map((tool) => [tool.name, digestTool(tool)]));
    digested.set(prefix, digests);
  }
  return digests;
}

function digestTool({ name, description, parameters }: ChatTool): string {
  return hash("sha256", JSON.stringify([name, description, parameters]), "hex").slice(0, 16);
}

function readTexts(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
