import { describe, expect, test } from "vitest";
import { analyseCommand } from "../index.ts";

/** What may not be there for the only part of a line to be routine; undefined where something is known against it. */
function absentFor(line: string): readonly string[] | undefined {
  const [part, ...others] = analyseCommand(line).parts;
  expect(others).toEqual([]);
  return part?.routine?.absent;
}

describe("a part's routine terms", () => {
  test.for<[string, string[]]>([
    ["unknown word", ["word"]],
    ["unknown -oword", ["word", "ord", "rd", "d"]],
    ["unknown --out=a/b", ["a/b", "b"]],
    ["unknown 'https://example.com/a.txt?b=c'", ["example.com", "a.txt", "b", "c"]],
    ["unknown a/../b", ["a/../b", "b"]],
    ["mkdir a", []],
    ["git log", []],
  ])("name what must not be there: %j", ([line, names]) => {
    expect(absentFor(line)).toEqual(expect.arrayContaining(names));
  });

  test("speak of the repository for git alone", () => {
    expect(analyseCommand("git log").parts[0]?.routine?.repository).toBe(true);
    expect(analyseCommand("unknown log").parts[0]?.routine?.repository).toBeUndefined();
  });

  test.for([
    "unknown $x",
    "unknown *",
    "unknown 'a*'",
    "unknown < x",
    "unknown 'a|b'",
    "unknown git",
    "unknown .git/x",
    "unknown x.pem",
    "./unknown",
    "make",
    "python3.12 x",
    "npm test",
    "tar xf x",
    "umask 0",
    "rg --pre x y",
    "git push",
    "git log --output=x",
    "git add .env",
    "mkdir --mode=7 x",
    `unknown ${"a".repeat(9000)}`,
    `unknown ${Array.from({ length: 65 }, (_, index) => `a${index}`).join(" ")}`,
  ])("are not given where something is known against it: %s", (line) => {
    expect(absentFor(line)).toBeUndefined();
  });
});
