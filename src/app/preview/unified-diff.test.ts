import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { formatUnifiedDiff } from "./unified-diff.ts";

test("formatUnifiedDiff() shows changed lines with three around them", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(formatUnifiedDiff("a.txt", before, before.replace("5\n", "five\n"))).toBe(
    "--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

test("formatUnifiedDiff() shows a file that is made, and one that is gone, and nothing for equal ones", () => {
  expect(formatUnifiedDiff("a", undefined, "x\n")).toBe("--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+x\n");
  expect(formatUnifiedDiff("a", "x", undefined)).toBe(
    "--- a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n",
  );
  expect(formatUnifiedDiff("a", "x\n", "x\n")).toBe("");
});

test("formatUnifiedDiff() replaces all lines of texts that differ too much, in a short time", () => {
  const text = (mark: string) => Array.from({ length: 5000 }, (_, line) => `${mark}${line}\n`).join("");
  const lines = formatUnifiedDiff("a", text("a"), text("b")).split("\n");
  expect(lines.filter((line) => line.startsWith("-a"))).toHaveLength(5000);
  expect(lines.filter((line) => line.startsWith("+b"))).toHaveLength(5000);
});

test("what formatUnifiedDiff() says can be applied by git, and gives the new text", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-diff-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "a.txt");
  const someLines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 25 });
  const text = fc
    .tuple(someLines, fc.boolean())
    .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      // git can't tell an empty file from one that is not there.
      fc.pre(before !== after && before !== "" && after !== "");
      writeFileSync(file, before);
      const diff = formatUnifiedDiff("a/a.txt", before, after);
      execFileSync("git", ["apply", "--unidiff-zero", "-"], {
        cwd: folder,
        input: diff,
        stdio: ["pipe", "ignore", "ignore"],
      });
      expect(readFileSync(file, "utf8")).toBe(after);
    }),
    { numRuns: 60 },
  );
});
