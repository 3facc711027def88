import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { readSourceFile, readSourceFiles } from "./source-folder.ts";
import { watchPath } from "./watch-path.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-source-folder-")));
afterAll(() => rmSync(root, { recursive: true }));

function createFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(root, "f-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const match = (path: string) => path.endsWith(".md");

test("readSourceFiles() gives the files that match, by name, in folders too", async () => {
  const folder = createFolder({
    "b.md": "B",
    "a.md": "A",
    "c.txt": "C",
    "x/y/d.md": "D",
    "node_modules/e.md": "E",
  });
  expect(await readSourceFiles(folder, { match })).toEqual({
    files: [
      { path: join(folder, "a.md"), relative: "a.md", text: "A" },
      { path: join(folder, "b.md"), relative: "b.md", text: "B" },
      { path: join(folder, "x/y/d.md"), relative: "x/y/d.md", text: "D" },
    ],
    skipped: [],
  });
  expect(await readSourceFiles(join(folder, "none"), { match })).toEqual({ files: [], skipped: [] });
});

test("readSourceFiles() passes over links, what is too large, what is no text, and what is too many", async () => {
  const folder = createFolder({
    "a.md": "A",
    "big.md": "x".repeat(101),
    "raw.md": Uint8Array.of(0xff),
    "z.md": "Z",
  });
  symlinkSync(join(folder, "a.md"), join(folder, "link.md"));
  const { files, skipped } = await readSourceFiles(folder, { match, maxBytes: 100, maxFiles: 1 });
  expect(files.map(({ relative }) => relative)).toEqual(["a.md"]);
  expect(skipped.map(({ path, reason }) => [path.slice(folder.length + 1), reason])).toEqual([
    ["link.md", "it is no plain file; put the file itself there"],
    ["big.md", "the folder has more than 1 files; take some away"],
  ]);
  const all = await readSourceFiles(folder, { match, maxBytes: 100 });
  expect(all.skipped.map(({ reason }) => reason)).toEqual([
    "it is no plain file; put the file itself there",
    "it has 101 B, and 100 B are allowed; make it smaller",
    "it is no UTF-8 text; save it as UTF-8",
  ]);
});

test("readSourceFiles() tells of what it can't look into", async () => {
  const deep = "1/2/3/4/5/6/7/8";
  const folder = createFolder({ [`${deep}/a.md`]: "A" });
  expect((await readSourceFiles(folder, { match })).skipped).toEqual([
    { path: join(folder, deep), reason: "it lies more than 8 folders deep; move it up" },
  ]);
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  expect(await readSourceFiles(loop, { match })).toEqual({
    files: [],
    skipped: [{ path: loop, reason: "ELOOP; make it readable" }],
  });
});

test("readSourceFile() tells a file that is not there from one that can't be read", async () => {
  const folder = createFolder({ "a.json": "{}" });
  symlinkSync(join(folder, "a.json"), join(folder, "b.json"));
  expect(await readSourceFile(join(folder, "a.json"))).toMatchObject({ relative: "a.json", text: "{}" });
  expect(await readSourceFile(join(folder, "b.json"))).toMatchObject({
    reason: "it is a link; put the file itself there",
  });
  expect(await readSourceFile(join(folder, "none.json"))).toBeUndefined();
  writeFileSync(join(folder, "empty.json"), "");
  expect(await readSourceFile(join(folder, "empty.json"))).toBeUndefined();
});

function createWatch(path: string) {
  const told = vi.fn<() => void>();
  const watch = watchPath(path, told, { delayMs: 10 });
  const heard = async (change: () => void) => {
    told.mockClear();
    change();
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 30_000);
  };
  return { told, heard, close: () => watch.close() };
}

test("watchPath() tells of a folder that comes, of what changes in it, and that it goes", async () => {
  const folder = join(createFolder({}), "agent", "tools");
  const { heard, close } = createWatch(folder);
  await heard(() => mkdirSync(folder, { recursive: true }));
  await heard(() => writeFileSync(join(folder, "a.md"), "one"));
  await heard(() => writeFileSync(join(folder, "a.md"), "two"));
  await heard(() => rmSync(join(folder, ".."), { recursive: true }));
  await heard(() => mkdirSync(folder, { recursive: true }));
  await heard(() => writeFileSync(join(folder, "b.md"), "three"));
  close();
});

test("watchPath() tells of a file each time it is replaced, and of no other beside it", async () => {
  const folder = createFolder({});
  const file = join(folder, "space.manifest.json");
  const { told, heard, close } = createWatch(file);
  const replace = () => {
    writeFileSync(`${file}.new`, "{}");
    renameSync(`${file}.new`, file);
  };
  const hearAnother = async (name: string) => {
    const another = createWatch(join(folder, name));
    await another.heard(() => writeFileSync(join(folder, name), "{}"));
    another.close();
  };
  await heard(replace);
  await heard(replace);
  await heard(() => writeFileSync(file, "[]"));
  // One write may be told of twice, but not after one that came later.
  await hearAnother("first.json");
  told.mockClear();
  writeFileSync(join(folder, "other.json"), "{}");
  await hearAnother("second.json");
  expect(told).not.toHaveBeenCalled();
  await heard(() => rmSync(file));
  close();
});
