import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";

const mib = 1024 * 1024;

test("write creates a file with its folders, and replaces one that was read", async () => {
  using bench = new FileBench();
  expect(await bench.call("write", { path: "a/b/new.txt", content: "1" })).toBe(
    `Created ${bench.path("a/b/new.txt")} (1 bytes)`,
  );
  writeFileSync(bench.path("old.txt"), "old");
  await bench.call("read", { path: "old.txt" });
  expect(await bench.call("write", { path: "old.txt", content: "new\n" })).toBe(
    `Replaced ${bench.path("old.txt")} (4 bytes)`,
  );
  expect(await bench.call("write", { path: "old.txt", content: "again" })).toMatch(/^Replaced/);
  expect(await bench.call("write", { path: "old.txt", content: "again" })).toMatch(/^Left as it was/);
  expect(readFileSync(bench.path("old.txt"), "utf8")).toBe("again");
});

test("write refuses a file that this agent has not read, or that changed since", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "old");
  const write = (context = {}) => bench.call("write", { path: "file", content: "new" }, context);
  await expect(write()).rejects.toMatchObject({
    code: "FILE_NOT_READ",
    message: `Cannot write "${bench.path("file")}": it exists and was not read yet, so its content would be lost unseen; read it first, or use edit`,
  });
  await bench.call("read", { path: "file" }, { agentId: "one" });
  await expect(write({ agentId: "two" })).rejects.toMatchObject({ code: "FILE_NOT_READ" });
  await expect(write({ agentId: "one", scope: "other" })).rejects.toMatchObject({ code: "FILE_NOT_READ" });
  writeFileSync(bench.path("file"), "0ld");
  await expect(write({ agentId: "one" })).rejects.toMatchObject({
    code: "FILE_STALE",
    message: `Cannot write "${bench.path("file")}": it has changed since it was read; read it again and take the change into account`,
  });
  writeFileSync(bench.path("file"), "old");
  expect(await write({ agentId: "one" })).toMatch(/^Replaced/);
  expect(readFileSync(bench.path("file"), "utf8")).toBe("new");
});

test("write knows a file over 4 MiB by its version alone", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("large"), Buffer.alloc(5 * mib, "line\n"));
  await bench.call("read", { path: "large" });
  writeFileSync(bench.path("large"), Buffer.alloc(5 * mib, "line\n"));
  await expect(bench.call("write", { path: "large", content: "x" })).rejects.toMatchObject({
    code: "FILE_STALE",
  });
  await bench.call("read", { path: "large" });
  expect(await bench.call("write", { path: "large", content: "x" })).toMatch(/^Replaced/);
});

test("write and write_file keep the encoding that a file has", async () => {
  using bench = new FileBench();
  const files: Record<string, [Buffer, string, Buffer]> = {
    bom: [Buffer.from("\ufeffold"), "new é", Buffer.from("\ufeffnew é")],
    wide: [Buffer.from("\ufeffold", "utf16le"), "new é", Buffer.from("\ufeffnew é", "utf16le")],
    latin1: [Buffer.from("\u00e9t\u00e9", "latin1"), "\u00e0", Buffer.from("\u00e0", "latin1")],
    "latin1-not": [Buffer.from("\u00e9t\u00e9", "latin1"), "€", Buffer.from("€")],
    plain: [Buffer.from("old"), "€", Buffer.from("€")],
  };
  for (const [name, [before]] of Object.entries(files)) writeFileSync(bench.path(name), before);
  const notes: Record<string, unknown> = {};
  for (const [name, [, content, after]] of Object.entries(files)) {
    notes[name] = ((await bench.call("write_file", { path: name, content })) as { note?: string }).note;
    expect(readFileSync(bench.path(name))).toEqual(after);
  }
  expect(notes).toEqual({
    bom: "the file keeps its byte order mark",
    wide: "the file keeps utf-16le",
    latin1: "the file keeps latin1",
    "latin1-not": "the file was in Latin-1 and is in UTF-8 now, for characters that Latin-1 lacks",
    plain: undefined,
  });
});

test("write_file overwrites freely, in the encoding asked for, and counts bytes", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "old");
  const write = (given: object) => bench.call("write_file", { path: "file", ...given });
  expect(await write({ content: "é" })).toEqual({ bytesWritten: 2 });
  expect(await write({ content: "é", encoding: "latin1" })).toEqual({ bytesWritten: 1 });
  expect(await write({ content: "AAEC/w==", encoding: "base64" })).toEqual({ bytesWritten: 4 });
  expect(readFileSync(bench.path("file"))).toEqual(Buffer.from([0, 1, 2, 255]));
  await expect(write({ content: "€", encoding: "latin1" })).rejects.toMatchObject({ code: "FILE_ENCODING" });
});

test("write_file takes 50 MiB, and refuses more without touching the file", async () => {
  using bench = new FileBench();
  const content = "x".repeat(50 * mib);
  expect(await bench.call("write_file", { path: "large", content })).toEqual({ bytesWritten: 50 * mib });
  await expect(bench.call("write_file", { path: "large", content: `${content}x` })).rejects.toMatchObject({
    code: "FILE_TOO_LARGE",
  });
  expect(statSync(bench.path("large")).size).toBe(50 * mib);
  expect(readdirSync(bench.root)).toEqual(["large"]);
});

test("write_file leaves the other names of a file as they were, and says so", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("one"), "shared");
  linkSync(bench.path("one"), bench.path("two"));
  expect(await bench.call("write_file", { path: "one", content: "new" })).toEqual({
    bytesWritten: 3,
    note: "1 other name (hard links) of the file keep the former content",
  });
  expect(readFileSync(bench.path("two"), "utf8")).toBe("shared");
});

test("write declares the place that a link leads to, and writes there", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("real"));
  writeFileSync(bench.path("real", "file"), "old");
  symlinkSync("real/file", bench.path("link"));
  expect(await bench.foreseeEffects("write_file", { path: "link" })).toEqual([
    { kind: "write", target: bench.path("real/file"), within: true },
  ]);
  await bench.call("write_file", { path: "link", content: "new" });
  expect(readFileSync(bench.path("real", "file"), "utf8")).toBe("new");
  symlinkSync(join(bench.outside, "later"), bench.path("dangling"));
  await expect(bench.call("write_file", { path: "dangling", content: "x" })).rejects.toMatchObject({
    code: "PATH_DANGLING",
  });
  expect(readdirSync(bench.outside)).toEqual([]);
});

test("delete_file deletes files, empty folders and links, and tells what it found nothing of", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("empty"));
  mkdirSync(bench.path("full"));
  writeFileSync(bench.path("full", "file"), "");
  writeFileSync(bench.path("file"), "");
  writeFileSync(join(bench.outside, "kept"), "kept");
  symlinkSync(join(bench.outside, "kept"), bench.path("link"));
  const remove = (given: object) => bench.call("delete_file", given);
  expect([
    await remove({ path: "file" }),
    await remove({ path: "empty" }),
    await remove({ path: "link" }),
    await remove({ path: "none" }),
  ]).toEqual([{ deleted: true }, { deleted: true }, { deleted: true }, { deleted: false }]);
  await expect(remove({ path: "full" })).rejects.toMatchObject({
    code: "FOLDER_NOT_EMPTY",
    message: `Cannot delete "${bench.path("full")}": 1 entry is in it; set recursive to delete them too`,
  });
  await remove({ path: "full", recursive: true });
  expect(readdirSync(bench.root)).toEqual([]);
  expect(readFileSync(join(bench.outside, "kept"), "utf8")).toBe("kept");
  expect(await bench.foreseeEffects("delete_file", { path: "any" })).toEqual([
    { kind: "delete", target: bench.path("any"), within: true },
  ]);
});

test("move_file moves files and folders, makes folders, and never overwrites", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("bytes"), Buffer.from([0, 200, 13, 10]));
  writeFileSync(bench.path("taken"), "taken");
  expect(await bench.foreseeEffects("move_file", { from: "bytes", to: "../outside/bytes" })).toEqual([
    { kind: "write", target: bench.path("bytes"), within: true },
    { kind: "write", target: join(bench.outside, "bytes"), within: false },
  ]);
  await expect(bench.call("move_file", { from: "bytes", to: "taken" })).rejects.toMatchObject({
    code: "FILE_EXISTS",
  });
  await expect(bench.call("move_file", { from: "none", to: "some" })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
  });
  expect(await bench.call("move_file", { from: "bytes", to: "new/folder/bytes" })).toEqual({ success: true });
  expect(readFileSync(bench.path("new/folder/bytes"))).toEqual(Buffer.from([0, 200, 13, 10]));
  expect(readFileSync(bench.path("taken"), "utf8")).toBe("taken");
  expect(bench.changes.recorded.filter(({ path }) => path === bench.path("taken"))).toEqual([]);
});
