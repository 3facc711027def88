import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

describe("compileGlob()", () => {
  test.each([
    ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/a/b.ts", "src/a.tsx", "xsrc/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/a/b/c.ts"], ["src.ts", "a/src/b.ts"]],
    ["**/secret", ["secret", "a/b/secret", "/secret"], ["asecret", "secret/a"]],
    ["a/**", ["a/", "a/b", "a/b/c"], ["a", "ab"]],
    ["a**b", ["ab", "a/x/b"], ["a", "ba"]],
    ["?.md", ["a.md", "é.md", "😀.md"], [".md", "ab.md", "/.md"]],
    ["*", ["", "a", "a.b"], ["a/b", "/"]],
    ["**", ["", "a/b/c"], []],
    ["git *", ["git ", "git status"], ["git", "git a/b"]],
    ["a.b[c]{d}(e)+|^$\\", ["a.b[c]{d}(e)+|^$\\"], ["axb[c]{d}(e)+|^$\\", "a.bc"]],
    ["https://*.example.com", ["https://a.example.com"], ["https://example.com", "https://a/b.example.com"]],
    ["", [""], ["a"]],
  ])("%s takes these texts and refuses those", (pattern, taken, refused) => {
    const matches = compileGlob(pattern);
    expect(taken.filter((text) => !matches(text))).toEqual([]);
    expect(refused.filter((text) => matches(text))).toEqual([]);
  });

  test("takes exactly what the same pattern as a regular expression takes", () => {
    const pattern = fc.string({
      unit: fc.constantFrom("a", "b", "/", "*", "**", "**/", "?", ".", "😀"),
      maxLength: 8,
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "/", ".", "😀"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (glob, value) => {
        expect(compileGlob(glob)(value)).toBe(asRegExp(glob).test(value));
      }),
      { numRuns: 5_000 },
    );
  });

  test("ends for patterns and texts made to go back and forth", () => {
    const texts = ["a".repeat(20_000), `${"a/".repeat(10_000)}!`, "/".repeat(20_000)];
    for (const glob of [
      `${"*a".repeat(100)}b`,
      `${"**/a".repeat(60)}b`,
      `${"**a".repeat(100)}b`,
      "*".repeat(301),
      `${"?*".repeat(100)}b`,
    ]) {
      for (const text of texts) expect(typeof compileGlob(glob)(text)).toBe("boolean");
    }
    expect(compileGlob(`${"*a".repeat(100)}*`)("a".repeat(20_000))).toBe(true);
    expect(compileGlob(`${"*a".repeat(100)}b`)("a".repeat(20_000))).toBe(false);
  });
});

/** Exponential for hostile patterns, and plain to read. */
function asRegExp(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|[\s\S]/gu, (token, at: number) => {
    const isAtStart = at === 0 || glob[at - 1] === "/";
    if (token === "**/") return isAtStart ? "(?:.*/)?" : ".*/";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    return token.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "su");
}
