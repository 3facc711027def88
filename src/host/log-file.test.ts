import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cutLog } from "./log-file.ts";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "serve.log");
}

test("a flood of lines stays within the bound, and its newest half is there, each line once and whole", () => {
  const file = newFile();
  const log = openSync(file, "a");
  onTestFinished(() => closeSync(log));
  const maxBytes = 200_000;
  for (let line = 0; line < 100_000; line++) {
    writeSync(log, `line ${line}\n`);
    if (line % 1000 !== 0) continue;
    cutLog(file, maxBytes);
    expect(readFileSync(file).length).toBeLessThanOrEqual(maxBytes);
  }
  cutLog(file, maxBytes);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const first = 100_000 - lines.length;
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => `line ${first + at}`));
  expect(lines.length).toBeGreaterThan(7000);
});

test("a log within the bound, or that is not there, is left alone", () => {
  const file = newFile();
  cutLog(file, 10);
  appendFileSync(file, "0123456789");
  cutLog(file, 10);
  expect(readFileSync(file, "utf8")).toBe("0123456789");
});

test("one line that is longer than the bound keeps its end", () => {
  const file = newFile();
  appendFileSync(file, `${"a".repeat(1_000_000)}the end`);
  cutLog(file, 200_000);
  const kept = readFileSync(file, "utf8");
  expect(kept).toHaveLength(100_000);
  expect(kept.endsWith("the end")).toBe(true);
});
