import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";

const canary = "root:canary:0:0";
const targets = [
  "etc/passwd",
  "etc/issue",
  "boot.ini",
  "windows/system32/drivers/etc/hosts",
  "WINDOWS/win.ini",
  "canary.txt",
];

/** A root some folders down, with a canary where every way out of it leads. */
function plant(bench: FileBench): string {
  const root = bench.path("a", "b", "c", "d");
  for (let place = dirname(root); place.startsWith(bench.folder); place = dirname(place)) {
    for (const target of targets) {
      mkdirSync(join(place, dirname(target)), { recursive: true });
      writeFileSync(join(place, target), canary);
    }
  }
  mkdirSync(root);
  writeFileSync(join(root, "inside.txt"), "inside");
  return root;
}

function corpus(): string[] {
  const folder = new URL("../../../test/corpora/paths/", import.meta.url);
  return ["traversal.txt", "deep-traversal.txt", "dotdotpwn.txt"].flatMap((name) =>
    readFileSync(new URL(name, folder), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replaceAll("{FILE}", "canary.txt").replaceAll("\\0", "\0")),
  );
}

test("no path of the corpus brings a file from outside, or puts one there", async () => {
  using bench = new FileBench();
  const root = plant(bench);
  const lines = corpus();
  expect(lines.length).toBeGreaterThan(1300);
  const before = readdirSync(bench.folder, { recursive: true }).length;
  const bounds = { allowedPaths: [root], effects: [] };
  const shown: string[] = [];
  let refused = 0;
  for (const line of lines) {
    for (const path of [line, join(root, "x", line.slice(0, 3000)), decodeQuietly(line)]) {
      const answer = await bench
        .call("read", { path }, bounds)
        .catch((error: { code?: string; message: string }) => {
          if (error.code?.startsWith("PATH_") || error.code?.startsWith("FILE_")) refused++;
          else throw error;
          return "";
        });
      if (String(answer) !== "") shown.push(path);
    }
    const gone = await bench.call("delete_file", { path: line }, bounds).catch(() => ({ deleted: false }));
    if ((gone as { deleted: boolean }).deleted) shown.push(line);
  }
  expect(shown).toEqual([]);
  expect(refused).toBe(3 * lines.length);
  expect(readdirSync(bench.folder, { recursive: true })).toHaveLength(before);
});

test("the corpus does lead outside where nothing is bounded", async () => {
  using bench = new FileBench();
  const root = plant(bench);
  let reached = 0;
  for (const path of corpus()) {
    const answer = await bench
      .call("read", { path }, { allowedPaths: [root, "/"], effects: [] })
      .catch(() => "");
    if (String(answer) === canary) reached++;
  }
  expect(reached).toBeGreaterThan(10);
});

function decodeQuietly(line: string): string {
  try {
    return decodeURIComponent(line);
  } catch {
    return line;
  }
}
