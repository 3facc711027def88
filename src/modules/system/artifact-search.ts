import { z } from "zod";
import type { Clock } from "../../base/index.ts";
import {
  type ArtifactStore,
  defineTool,
  type Tool,
  ToolContent,
  type ToolContext,
  type Trust,
} from "../../kernel/index.ts";
import { compileFinder, type FindMatch } from "./line-pattern.ts";
import { LinePieces } from "./line-pieces.ts";
import { type SearchBounds, type TextMatch, TextSearch } from "./text-search.ts";
import { unknownArtifact } from "./unknown-artifact.ts";

const parameters = z.strictObject({
  id: z.string().describe("The artifact's id, from the result that was cut"),
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .refine(
      (pattern) => !/[\r\n]/.test(pattern),
      "must not contain a line break: lines are searched one by one",
    )
    .describe("What to look for: plain text, or with regex a regular expression"),
  regex: z
    .boolean()
    .optional()
    .describe("Read the pattern as a regular expression (RE2 syntax); false by default"),
  ignore_case: z.boolean().optional().describe("false by default"),
  context: z
    .int()
    .min(0)
    .max(5)
    .optional()
    .describe("Lines to show before and after each match; 0 by default"),
  max_results: z.int().min(1).max(100).optional().describe("20 by default"),
  offset: z.int().min(0).optional().describe("Characters to skip; 0 by default"),
});

/** Null without a store of artifacts. */
export function artifactSearchTool(artifacts: ArtifactStore | undefined, clock: Clock): Tool | null {
  if (artifacts === undefined) return null;
  return defineTool({
    name: "artifact_search",
    title: "Search a kept output",
    description:
      "Find text in an output that was too long to show. Returns each match with its line, offset and surroundings.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async execute({ id, pattern, regex = false, ignore_case: ignoreCase = false, ...params }, context) {
      const find = await compileFinder(pattern, { regex, ignoreCase });
      const bounds = {
        maxMatches: params.max_results ?? 20,
        contextLines: params.context ?? 0,
        from: params.offset ?? 0,
      };
      return toContent(await searchArtifact({ artifacts, clock, context, id }, find, bounds));
    },
  });
}

interface Searched {
  readonly matches: readonly TextMatch[];
  readonly totalChars: number;
  readonly trust: Trust;
  /** The offset to go on from; absent at the end. */
  readonly nextOffset?: number;
  /** It ran out of time, not of room. */
  readonly timedOut?: true;
}

interface SearchPlace {
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly context: ToolContext;
  readonly id: string;
}

/** Read at a time; the event loop runs in between. */
const pageChars = 262_144;
/** What was found until then is worth more than a timeout. */
const reserveMs = 2000;

async function searchArtifact(place: SearchPlace, find: FindMatch, bounds: SearchBounds): Promise<Searched> {
  const { artifacts, clock, id } = place;
  const { scope, signal, deadline } = place.context;
  const search = new TextSearch(find, bounds);
  const lines = new LinePieces();
  for (let offset = 0; ; ) {
    signal.throwIfAborted();
    const page = await artifacts.readText(scope, id, { offset, length: pageChars });
    if (page === undefined) throw unknownArtifact("artifact_search", id);
    const { text, totalChars, trust } = page;
    for (const piece of lines.push(text)) search.push(piece);
    offset = page.offset + text.length;
    const atEnd = offset >= totalChars || text === "";
    if (atEnd) for (const piece of lines.end()) search.push(piece);
    const { matches, nextOffset } = search;
    if (atEnd || search.done)
      return { matches, totalChars, trust, ...(nextOffset !== undefined && { nextOffset }) };
    if (clock.now() > deadline - reserveMs)
      return { matches, totalChars, trust, nextOffset: nextOffset ?? lines.searchedTo, timedOut: true };
  }
}

function toContent({ matches, totalChars, trust, nextOffset, timedOut }: Searched): ToolContent {
  const found =
    matches.length === 0 ? "no match" : matches.length === 1 ? "1 match" : `${matches.length} matches`;
  const end =
    nextOffset === undefined
      ? `${found} in ${totalChars} characters`
      : `${found} ${timedOut ? "before the time was up" : "shown"}, of ${totalChars} characters; continue with offset ${nextOffset}`;
  const data = {
    matches: matches.map(({ line, offset, text }) => ({ line, offset, text })),
    total_chars: totalChars,
    next_offset: nextOffset ?? null,
  };
  const text = [...matches.map(toText), `[${end}]`].join("\n");
  return new ToolContent([{ type: "text", text }], data, trust === "untrusted" ? trust : undefined);
}

function toText({ line, offset, text, before, after }: TextMatch): string {
  const around = (lines: readonly string[], first: number) =>
    lines.map((other, index) => `  ${first + index}  ${other}`);
  return [
    ...around(before, line - before.length),
    `${line}: ${text}  (offset ${offset})`,
    ...around(after, line + 1),
  ].join("\n");
}
