import { expect, test } from "vitest";
import { parseGlob, splitGlob } from "./glob-pattern.ts";

function matched(pattern: string, paths: readonly string[]): string[] {
  return paths.filter(parseGlob(pattern).matches);
}

const paths = ["a.ts", "b.js", "src/a.ts", "src/deep/er/c.tsx", "src/x[1].md", ".github/ci.yml", "src/.env"];

test("parseGlob() matches as people expect of globs", () => {
  expect({
    "*.ts": matched("*.ts", paths),
    "**/*.ts": matched("**/*.ts", paths),
    "src/**": matched("src/**", paths),
    "**/*.{ts,tsx}": matched("**/*.{ts,tsx}", paths),
    "{src/deep,.github}/**/*": matched("{src/deep,.github}/**/*", paths),
    "./src/?.ts": matched("./src/?.ts", paths),
    "src/x\\[[0-9]\\].md": matched("src/x\\[[0-9]\\].md", paths),
    "[!ab].*": matched("[!ab].*", paths),
    "**": matched("**", paths).length,
    "src/**/c.tsx": matched("src/**/c.tsx", paths),
    "**/src/a.ts": matched("**/src/a.ts", paths),
    "[a": matched("[a", ["[a", "a"]),
  }).toEqual({
    "*.ts": ["a.ts"],
    "**/*.ts": ["a.ts", "src/a.ts"],
    "src/**": ["src/a.ts", "src/deep/er/c.tsx", "src/x[1].md", "src/.env"],
    "**/*.{ts,tsx}": ["a.ts", "src/a.ts", "src/deep/er/c.tsx"],
    "{src/deep,.github}/**/*": ["src/deep/er/c.tsx", ".github/ci.yml"],
    "./src/?.ts": ["src/a.ts"],
    "src/x\\[[0-9]\\].md": ["src/x[1].md"],
    "[!ab].*": [],
    "**": paths.length,
    "src/**/c.tsx": ["src/deep/er/c.tsx"],
    "**/src/a.ts": ["src/a.ts"],
    "[a": ["[a"],
  });
});

test("parseGlob() knows what ripgrep can look for: the last names and the depth", () => {
  const known = (pattern: string) => ({ names: parseGlob(pattern).names, depth: parseGlob(pattern).depth });
  expect([known("src/**/*.ts"), known("*.{a,b}"), known("src/**"), known("a/*/c")]).toEqual([
    { names: ["*.ts"], depth: undefined },
    { names: ["*.b", "*.a"], depth: 1 },
    { names: undefined, depth: undefined },
    { names: ["c"], depth: 3 },
  ]);
});

test("parseGlob() takes time in proportion to hostile patterns and names", () => {
  const { matches } = parseGlob(`**/${"*a".repeat(60)}b/**/**/**/${"?*".repeat(60)}c`);
  expect(matches(`${`${"a".repeat(250)}/`.repeat(16)}${"a".repeat(250)}`)).toBe(false);
});

test("parseGlob() refuses what leads out of the folder, and too many alternatives", () => {
  expect(() => parseGlob("../*.ts")).toThrow(expect.objectContaining({ code: "SEARCH_PATTERN" }));
  expect(() => parseGlob("src/../../x")).toThrow(expect.objectContaining({ code: "SEARCH_PATTERN" }));
  expect(() => parseGlob("{a,b}".repeat(20))).toThrow(expect.objectContaining({ code: "SEARCH_PATTERN" }));
});

test("splitGlob() gives the folders that a pattern spells out to the path", () => {
  expect(
    ["**/*.ts", "src/lib/*.ts", "/etc/*.conf", "../x/*.md", "src/a.ts", "/*.txt", "a{b,c}/d"].map(splitGlob),
  ).toEqual([
    { folder: "", rest: "**/*.ts" },
    { folder: "src/lib", rest: "*.ts" },
    { folder: "/etc", rest: "*.conf" },
    { folder: "../x", rest: "*.md" },
    { folder: "src", rest: "a.ts" },
    { folder: "/", rest: "*.txt" },
    { folder: "", rest: "a{b,c}/d" },
  ]);
});
