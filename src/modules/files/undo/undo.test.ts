import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../../test/support/files.ts";

const mib = 1024 * 1024;

function undo(bench: FileBench, callId: string, context = {}): Promise<unknown> {
  return bench.call("undo_changes", { call_id: callId }, { callId: `undo-${callId}`, ...context });
}

test("undo_changes restores what a write replaced, with its permissions, and can be undone itself", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "former");
  chmodSync(bench.path("file"), 0o750);
  await bench.call("write_file", { path: "file", content: "new" }, { callId: "c1" });
  expect(await bench.foreseeEffects("undo_changes", { call_id: "c1" })).toEqual([
    { kind: "write", target: bench.path("file"), within: true },
  ]);
  expect(await undo(bench, "c1")).toEqual({ restored: [bench.path("file")] });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("former");
  expect(statSync(bench.path("file")).mode & 0o777).toBe(0o750);
  await undo(bench, "undo-c1");
  expect(readFileSync(bench.path("file"), "utf8")).toBe("new");
});

test("undo_changes removes what a write created, with the folders it made, unless they are used since", async () => {
  using bench = new FileBench();
  await bench.call("write_file", { path: "a/b/file", content: "new" }, { callId: "c1" });
  await bench.call("write_file", { path: "c/d/file", content: "new" }, { callId: "c2" });
  writeFileSync(bench.path("c", "other"), "");
  await undo(bench, "c1");
  await undo(bench, "c2");
  expect(readdirSync(bench.root)).toEqual(["c"]);
  expect(readdirSync(bench.path("c"))).toEqual(["other"]);
});

test("undo_changes refuses when a file has changed since, and then restores nothing", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "former");
  await bench.call("edit", { path: "file", old_string: "former", new_string: "new" }, { callId: "c1" });
  writeFileSync(bench.path("file"), "somebody else's");
  await expect(undo(bench, "c1")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: `Cannot undo call "c1": "${bench.path("file")}" has changed since; nothing was restored, change the rest by hand`,
  });
  rmSync(bench.path("file"));
  await expect(undo(bench, "c1")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: expect.stringContaining("was deleted since"),
  });
  expect(existsSync(bench.path("file"))).toBe(false);
});

test("undo_changes leaves a call undone alone, and knows no call of another scope", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "former");
  await bench.call("write_file", { path: "file", content: "new" }, { callId: "c1" });
  await expect(undo(bench, "c1", { scope: "other" })).rejects.toMatchObject({ code: "UNDO_UNKNOWN" });
  await undo(bench, "c1");
  await expect(undo(bench, "c1")).rejects.toMatchObject({ code: "UNDO_UNKNOWN" });
});

test("undo_changes takes a change that never came to pass for done", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "former");
  await bench.call("write_file", { path: "file", content: "new" }, { callId: "c1" });
  writeFileSync(bench.path("file"), "former");
  expect(await undo(bench, "c1")).toEqual({ restored: [] });
});

test("undo_changes keeps a large file as a second name of it, not as a copy in the store", async () => {
  using bench = new FileBench();
  const former = Buffer.alloc(5 * mib, "former\n");
  writeFileSync(bench.path("large"), former);
  const { ino } = statSync(bench.path("large"));
  await bench.call("write_file", { path: "large", content: "small" }, { callId: "c1" });
  const kept = readdirSync(join(bench.folder, "undo"));
  expect(kept.map((name) => statSync(join(bench.folder, "undo", name)).ino)).toEqual([ino]);
  expect(Math.max(...Array.from(bench.artifacts.kept.values(), ({ data }) => data.length))).toBeLessThan(300);
  await undo(bench, "c1");
  expect(readFileSync(bench.path("large")).equals(former)).toBe(true);
});

test("undo_changes refuses to restore a large file whose kept content was changed or is gone", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("large"), Buffer.alloc(mib, "former\n"));
  await bench.call("write_file", { path: "large", content: "small" }, { callId: "c1" });
  const [name = ""] = readdirSync(join(bench.folder, "undo"));
  writeFileSync(join(bench.folder, "undo", name), "tampered");
  const refusal = { code: "UNDO_NOT_KEPT", message: expect.stringContaining(bench.path("large")) };
  await expect(undo(bench, "c1")).rejects.toMatchObject(refusal);
  rmSync(join(bench.folder, "undo", name));
  await expect(undo(bench, "c1")).rejects.toMatchObject(refusal);
  expect(readFileSync(bench.path("large"), "utf8")).toBe("small");
});

test("undo_changes restores deleted files, links and whole folders", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("folder", "empty"), { recursive: true });
  writeFileSync(bench.path("folder", "file"), Buffer.from([0, 1, 2]), { mode: 0o640 });
  symlinkSync("../nowhere", bench.path("folder", "link"));
  symlinkSync("folder/file", bench.path("link"));
  writeFileSync(bench.path("file"), "text", { mode: 0o604 });
  const paths = ["folder", "link", "file"];
  for (const path of paths) await bench.call("delete_file", { path, recursive: true }, { callId: path });
  expect(readdirSync(bench.root)).toEqual([]);
  for (const path of paths) expect(await undo(bench, path)).toEqual({ restored: [bench.path(path)] });
  expect(readdirSync(bench.path("folder")).sort()).toEqual(["empty", "file", "link"]);
  expect(readFileSync(bench.path("folder", "file"))).toEqual(Buffer.from([0, 1, 2]));
  expect([readlinkSync(bench.path("link")), readlinkSync(bench.path("folder", "link"))]).toEqual([
    "folder/file",
    "../nowhere",
  ]);
  expect(lstatSync(bench.path("file")).mode & 0o777).toBe(0o604);
});

test("undo_changes refuses to restore over what is there again", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("folder"));
  writeFileSync(bench.path("file"), "former");
  await bench.call("delete_file", { path: "folder" }, { callId: "folder" });
  await bench.call("delete_file", { path: "file" }, { callId: "file" });
  writeFileSync(bench.path("folder"), "now a file");
  writeFileSync(bench.path("file"), "another");
  await expect(undo(bench, "folder")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: expect.stringContaining("is there again"),
  });
  await expect(undo(bench, "file")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: expect.stringContaining("is there again"),
  });
  expect([readFileSync(bench.path("folder"), "utf8"), readFileSync(bench.path("file"), "utf8")]).toEqual([
    "now a file",
    "another",
  ]);
});

test("undo_changes moves back what was moved, changed since or not, and removes the folders made for it", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("from"));
  writeFileSync(bench.path("from", "file"), "one");
  await bench.call("move_file", { from: "from", to: "deep/er/to" }, { callId: "c1" });
  writeFileSync(bench.path("deep/er/to/file"), "two");
  expect(await bench.foreseeEffects("undo_changes", { call_id: "c1" })).toEqual(
    [bench.path("from"), bench.path("deep/er/to"), bench.path("deep"), bench.path("deep/er")].map(
      (target) => ({ kind: "write", target, within: true }),
    ),
  );
  await undo(bench, "c1");
  expect(readdirSync(bench.root)).toEqual(["from"]);
  expect(readFileSync(bench.path("from", "file"), "utf8")).toBe("two");
  await undo(bench, "undo-c1");
  expect(readdirSync(bench.root)).toEqual(["deep"]);
});

test("undo_changes refuses to move back over something, or something else", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("a"), "a");
  await bench.call("move_file", { from: "a", to: "b" }, { callId: "c1" });
  writeFileSync(bench.path("a"), "new");
  await expect(undo(bench, "c1")).rejects.toMatchObject({ code: "UNDO_CONFLICT" });
  rmSync(bench.path("a"));
  writeFileSync(bench.path("other"), "other");
  renameSync(bench.path("other"), bench.path("b"));
  await expect(undo(bench, "c1")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: expect.stringContaining("was replaced at"),
  });
});

test("undo_changes restores a file that looks like one of its own records", async () => {
  using bench = new FileBench();
  const former = 'haft-former {"kind":"kept","name":"../../etc","version":"1"}\nrest';
  writeFileSync(bench.path("file"), former);
  await bench.call("write_file", { path: "file", content: "new" }, { callId: "c1" });
  await undo(bench, "c1");
  expect(readFileSync(bench.path("file"), "utf8")).toBe(former);
});

test("undo_changes may touch only what its effects were allowed", async () => {
  using bench = new FileBench();
  writeFileSync(join(bench.outside, "file"), "former");
  const all = { allowedPaths: [bench.folder] };
  await bench.call(
    "write_file",
    { path: join(bench.outside, "file"), content: "new" },
    { callId: "c1", ...all },
  );
  expect(await bench.foreseeEffects("undo_changes", { call_id: "c1" })).toEqual([
    { kind: "write", target: join(bench.outside, "file"), within: false },
  ]);
  await expect(undo(bench, "c1", { effects: [] })).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
  expect(readFileSync(join(bench.outside, "file"), "utf8")).toBe("new");
});

test("a change is recorded before it happens, and nothing happens if it can't be", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "former");
  bench.changes.record = () => Promise.reject(new Error("the store is gone"));
  await expect(bench.call("write_file", { path: "file", content: "new" })).rejects.toThrow(
    "the store is gone",
  );
  await expect(bench.call("delete_file", { path: "file" })).rejects.toThrow("the store is gone");
  await expect(bench.call("move_file", { from: "file", to: "other" })).rejects.toThrow("the store is gone");
  expect(readFileSync(bench.path("file"), "utf8")).toBe("former");
  expect(readdirSync(bench.root)).toEqual(["file"]);
});

test("a check of a script looks at every file that it left, not only at those of its last call", async () => {
  using bench = new FileBench();
  const inScript = (callId: string) => ({ callId, outerCallId: "script" });
  await bench.call("write_file", { path: "twice", content: "1" }, inScript("c1"));
  await bench.call("write_file", { path: "once", content: "1" }, inScript("c2"));
  await bench.call("write_file", { path: "twice", content: "2" }, inScript("c3"));
  await bench.check("undo_changes", { call_id: "script" });
  writeFileSync(bench.path("once"), "by hand");
  await expect(bench.check("undo_changes", { call_id: "script" })).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: expect.stringContaining(bench.path("once")),
  });
});
