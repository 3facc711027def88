import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import { UndoFolder } from "./undo-folder.ts";

async function keep(undo: UndoFolder, bench: FileBench, path: string): Promise<string> {
  using file = bench.workspace.open(path, bench.access());
  return (await undo.keepFile(file)).name;
}

test("UndoFolder.keepFile() gives the content a second name, and copies what has one already", async () => {
  using bench = new FileBench();
  const undo = new UndoFolder(join(bench.folder, "kept"));
  writeFileSync(bench.path("single"), "one");
  writeFileSync(bench.path("double"), "two");
  linkSync(bench.path("double"), bench.path("other"));
  const single = join(undo.path, await keep(undo, bench, "single"));
  const double = join(undo.path, await keep(undo, bench, "double"));
  expect(statSync(single).ino).toBe(statSync(bench.path("single")).ino);
  expect(statSync(double).ino).not.toBe(statSync(bench.path("double")).ino);
  expect([readFileSync(single, "utf8"), readFileSync(double, "utf8")]).toEqual(["one", "two"]);
  expect(statSync(undo.path).mode & 0o777).toBe(0o700);
});

test("UndoFolder keeps files and folders of another file system as copies", async ({ skip }) => {
  const shared = "/dev/shm";
  if (
    !statSync(shared, { throwIfNoEntry: false })?.isDirectory() ||
    statSync(shared).dev === statSync(tmpdir()).dev
  ) {
    return skip("there is no second file system here");
  }
  using bench = new FileBench();
  using there = new FileBench({ in: shared });
  const undo = new UndoFolder(join(there.folder, "kept"));
  writeFileSync(bench.path("file"), "text");
  mkdirSync(bench.path("folder", "inner"), { recursive: true });
  writeFileSync(bench.path("folder", "inner", "file"), "deep");
  expect(readFileSync(join(undo.path, await keep(undo, bench, "file")), "utf8")).toBe("text");
  const name = undo.reserveFolder();
  await undo.takeFolder(bench.path("folder"), name, new AbortController().signal);
  expect(readFileSync(join(undo.path, name, "inner", "file"), "utf8")).toBe("deep");
  expect(readdirSync(bench.root)).toEqual(["file"]);
  const small = new UndoFolder(join(there.folder, "small"), { maxBytes: 3 });
  await expect(
    small.takeFolder(bench.root, small.reserveFolder(), new AbortController().signal),
  ).rejects.toMatchObject({
    code: "FOLDER_TOO_LARGE",
  });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("text");
});

test("UndoFolder lets go of what is too old, and of the oldest when it holds too much", async () => {
  using bench = new FileBench();
  const path = join(bench.folder, "kept");
  mkdirSync(path);
  const now = Date.now();
  for (const [age, bytes] of [
    [50_000, 10],
    [3000, 60],
    [2000, 60],
    [1000, 30],
  ] as const) {
    writeFileSync(join(path, `${now - age}-${age}`), Buffer.alloc(bytes));
  }
  writeFileSync(join(path, "not-ours"), "");
  writeFileSync(bench.path("file"), "new");
  const undo = new UndoFolder(path, { maxAgeMs: 40_000, maxBytes: 100 });
  const kept = await keep(undo, bench, "file");
  await expect
    .poll(() => readdirSync(path).sort())
    .toEqual([`${now - 2000}-2000`, `${now - 1000}-1000`, kept, "not-ours"].sort());
});
