import { expect, test } from "vitest";
import { freePositions } from "./positions.ts";
import { splitStretches } from "./stretches.ts";

test("splitStretches() cuts by headings, says under which each stands, and puts the summary with the first", () => {
  const text =
    "# User\n\n> Summary: who it is\n\n## Food\n\nporridge\n\n### Not\n\nliver\n\n## Place\n\nVienna\n";
  expect(splitStretches(text, "facts/user.md").map(({ title, text: found }) => [title, found])).toEqual([
    ["User › Food: who it is", "## Food\n\nporridge"],
    ["User › Food › Not", "### Not\n\nliver"],
    ["User › Place", "## Place\n\nVienna"],
  ]);
});

test("splitStretches() takes what looks like a heading in a fence for what it is", () => {
  const text = "# Setup\n\n```sh\n# not a heading\nnpm test\n```\n";
  expect(splitStretches(text, "a.md").map(({ title }) => title)).toEqual(["Setup"]);
});

test("splitStretches() loses no word of a long text, cuts at paragraphs, and keeps each stretch short", () => {
  const words = Array.from({ length: 3000 }, (_, at) => `word${at}`);
  const text = words.map((word, at) => word + (at % 40 === 39 ? "\n\n" : at % 9 === 8 ? "\n" : " ")).join("");
  const stretches = splitStretches(text, "a.md");
  expect(stretches.flatMap((one) => one.text.split(/\s+/))).toEqual(words);
  for (const stretch of stretches) {
    expect(stretch.text.length).toBeLessThanOrEqual(1500);
    expect(stretch.text.split(" ").length).toBeGreaterThan(1);
  }
});

test("splitStretches() cuts one endless line, and never inside a character", () => {
  const stretches = splitStretches("\u{1f600}".repeat(4000), "a.md");
  expect(stretches.map(({ text }) => text).join("")).toBe("\u{1f600}".repeat(4000));
  for (const { text } of stretches) expect(text.isWellFormed()).toBe(true);
});

test("splitStretches() makes no thousands of stretches of a file of headings", () => {
  const stretches = splitStretches("# a\nb\n".repeat(20_000), "a.md");
  expect(stretches.length).toBeLessThan(200);
  expect(new Set(stretches.map(({ key }) => key)).size).toBe(stretches.length);
});

const slow: readonly (readonly [string, string])[] = [
  ["blanks", `> Summary:${" ".repeat(250_000)}x`],
  ["empty lines", `a${"\n".repeat(250_000)}b`],
  ["blank lines", " \n".repeat(125_000)],
  ["dashes", "---\n".repeat(60_000)],
  ["marks", "<!-- haft: untrusted -->\n".repeat(10_000)],
  ["fences", "```\n".repeat(60_000)],
  ["hashes", `${"#".repeat(250_000)} x`],
];

test.for(slow)("splitStretches() is done with a quarter of a million %s at once", ([, text]) => {
  // What takes the square of its length takes minutes here.
  const stretches = splitStretches(text, "a.md");
  expect(stretches.length).toBeLessThanOrEqual(1000);
  for (const stretch of stretches) expect(stretch.title.length).toBeLessThanOrEqual(300);
});

test.for([
  [[], []],
  [
    [undefined, undefined],
    [1024, 2048],
  ],
  [
    [1024, undefined, 2048],
    [1024, 1536, 2048],
  ],
  [
    [2048, 1024],
    [2048, 3072],
  ],
  [
    [1024, undefined, undefined, 1026],
    [1024, 2048, 3072, 4096],
  ],
] as const)("freePositions(%j) is %j", ([known, positions]) => {
  expect(freePositions(known)).toEqual(positions);
});
