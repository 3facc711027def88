import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { defineTool } from "../../kernel/index.ts";
import type { FoundTools } from "../../search/index.ts";
import { Terminal } from "../terminal.ts";
import { describeScores, renderFound } from "./found.ts";

function makeTool(name: string, description: string) {
  return defineTool({
    name,
    description,
    pack: "network",
    parameters: { type: "object" },
    execute: () => "",
  });
}

const read = makeTool("web_read", "Read a web page. It takes an address.");
const fetched = makeTool("http_get", "Fetch an address.");

const found: FoundTools = {
  found: [
    { tool: read, score: 1.96, scores: { rank: 1, words: 3.1, vectors: 0.42, total: 1.96 } },
    { tool: fetched, score: 0.5, scores: { rank: 7, words: 0.5, total: 0.5 }, neededBy: "web_read" },
  ],
  by: "words and vectors",
};

function render(what: FoundTools, mark?: string): string[] {
  const terminal = new Terminal({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  });
  return renderFound(what, () => mark, terminal).split("\n");
}

test("renderFound() shows each part of a score that the search had, why a tool came along, and what decided", () => {
  expect(render(found)).toEqual([
    "Tool      In       Words  Meaning  Score  Description",
    "web_read  network   3.10     0.42   1.96  Read a web page.",
    "http_get  network   0.50            0.50  web_read needs it: Fetch an address.",
    "Found by words and meaning.",
    "",
  ]);
});

test("renderFound() leaves out the column of a part that nothing has, and says why the words decided alone", () => {
  const words = {
    ...found,
    found: found.found.slice(1),
    by: "words" as const,
    note: "There is no embedder.",
  };
  const [titles, , last] = render(words);
  expect(titles).toBe("Tool      In       Words  Score  Description");
  expect(last).toBe("Found by words. There is no embedder.");
});

test("renderFound() says so where no tool has a word of what was asked", () => {
  const [tool] = found.found;
  if (tool === undefined) throw new Error("nothing is found");
  const scores = { rank: 1, words: 0, vectors: 2, total: 2 };
  expect(render({ ...found, found: [{ ...tool, scores }] }).at(-2)).toBe(
    "No tool has a word of this: found by meaning alone.",
  );
});

test("renderFound() marks what the caller may not call", () => {
  expect(render(found, "not allowed")[1]).toContain("not allowed: Read a web page.");
});

test("describeScores() names the rank and each part", () => {
  expect(describeScores({ rank: 2, words: 3.1, usage: 0.25, total: 1 })).toBe(
    "rank 2; words 3.10, past use 0.25, score 1.00",
  );
});
