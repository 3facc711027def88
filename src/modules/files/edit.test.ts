import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";

const mib = 1024 * 1024;

async function edited(bench: FileBench, before: string | Buffer, edit: object): Promise<Buffer> {
  writeFileSync(bench.path("file"), before);
  await bench.call("edit", { path: "file", ...edit });
  return readFileSync(bench.path("file"));
}

test("edit replaces a text that occurs once, and says where", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "one\ntwo\nthree");
  chmodSync(bench.path("file"), 0o600);
  expect(await bench.call("edit", { path: "file", old_string: "two", new_string: "2\n2" })).toBe(
    `Replaced 1 occurrence in ${bench.path("file")} at line 2`,
  );
  expect(readFileSync(bench.path("file"), "utf8")).toBe("one\n2\n2\nthree");
  expect(statSync(bench.path("file")).mode & 0o777).toBe(0o600);
});

test("edit refuses a text that is not there, occurs more than once, or stays the same", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "if (a) {\n\treturn 1;\n}\na\na\n");
  const edit = (old_string: string, new_string = "x") =>
    bench.call("edit", { path: "file", old_string, new_string });
  await expect(edit("a")).rejects.toMatchObject({
    code: "TEXT_AMBIGUOUS",
    message: `Cannot edit "${bench.path("file")}": the text occurs 3 times (lines 1, 4, 5); add lines around it until it is unique, or set replace_all`,
  });
  await expect(edit("b")).rejects.toMatchObject({
    code: "TEXT_NOT_FOUND",
    message: `Cannot edit "${bench.path("file")}": the text was not found; read the file and copy the text exactly, with its white space`,
  });
  await expect(edit("    return 1;\n}")).rejects.toMatchObject({
    code: "TEXT_NOT_FOUND",
    message: `Cannot edit "${bench.path("file")}": the text was not found; its first line stands at line 2 as "\\treturn 1;", but white space or the lines after it differ; read that part again and copy it exactly`,
  });
  await expect(edit("a", "a")).rejects.toMatchObject({ code: "EDIT_EMPTY" });
  await expect(bench.call("edit", { path: "none", old_string: "a", new_string: "b" })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
  });
  expect(readdirSync(bench.root)).toEqual(["file"]);
});

test("edit replaces every occurrence where it is told to", async () => {
  using bench = new FileBench();
  const content = await edited(bench, "aaa b aa", { old_string: "aa", new_string: "a", replace_all: true });
  expect(content.toString()).toBe("aa b a");
});

test("edit keeps the line ends of the file, whatever the edit was given with", async () => {
  using bench = new FileBench();
  const crlf = await edited(bench, "one\r\ntwo\r\nthree\r\n", {
    old_string: "one\ntwo",
    new_string: "1\n2\n2b",
  });
  expect(crlf.toString()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
  const single = await edited(bench, "one\r\ntwo\r\n", { old_string: "two", new_string: "2\n3" });
  expect(single.toString()).toBe("one\r\n2\r\n3\r\n");
  const lf = await edited(bench, "one\ntwo\n", { old_string: "one\r\ntwo", new_string: "1\r\n2" });
  expect(lf.toString()).toBe("1\n2\n");
  const mixed = await edited(bench, "a\r\nb\nc\nd\r\n", { old_string: "b\nc", new_string: "x\ny" });
  expect(mixed.toString()).toBe("a\r\nx\ny\nd\r\n");
  writeFileSync(bench.path("file"), "one\r\ntwo\r\n");
  expect(await bench.call("edit", { path: "file", old_string: "one\ntwo", new_string: "1\n2" })).toBe(
    `Replaced 1 occurrence in ${bench.path("file")} at line 1\n[the file's CRLF line ends were kept]`,
  );
});

test("edit keeps byte order mark, encoding and every byte that it was not asked to change", async () => {
  using bench = new FileBench();
  const edit = { old_string: "é\nb", new_string: "ü" };
  expect(await edited(bench, "\ufeffé\nb\n", edit)).toEqual(Buffer.from("\ufeffü\n"));
  expect(await edited(bench, Buffer.from("\ufeffaé\r\nb", "utf16le"), edit)).toEqual(
    Buffer.from("\ufeffaü", "utf16le"),
  );
  expect(await edited(bench, Buffer.from("\ufeffaé\nb", "utf16le").swap16(), edit)).toEqual(
    Buffer.from("\ufeffaü", "utf16le").swap16(),
  );
  expect(await edited(bench, Buffer.from("x\u00e9\nb\u00ff", "latin1"), edit)).toEqual(
    Buffer.from("x\u00fc\u00ff", "latin1"),
  );
  // Valid at the start, broken later: the broken bytes stay.
  const broken = Buffer.concat([
    Buffer.from("é\nb"),
    Buffer.alloc(70_000, "x"),
    Buffer.from([0xff, 0xfe, 0x41]),
  ]);
  expect(await edited(bench, broken, edit)).toEqual(Buffer.concat([Buffer.from("ü"), broken.subarray(4)]));
});

test("edit finds nothing half way between two UTF-16 characters", async () => {
  using bench = new FileBench();
  // "ĀA" holds the bytes 00 01 41 00: at an odd place they read as U+4101.
  writeFileSync(bench.path("file"), Buffer.from("\ufeff\u0100A", "utf16le"));
  await expect(
    bench.call("edit", { path: "file", old_string: "\u4101", new_string: "x" }),
  ).rejects.toMatchObject({ code: "TEXT_NOT_FOUND" });
});

test("edit refuses characters that the file's encoding lacks, and binary files", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("latin1"), Buffer.from("caf\u00e9", "latin1"));
  writeFileSync(bench.path("binary"), Buffer.from([1, 0, 2]));
  const edit = (path: string) => bench.call("edit", { path, old_string: "caf", new_string: "€" });
  await expect(edit("latin1")).rejects.toMatchObject({ code: "FILE_ENCODING" });
  await expect(edit("binary")).rejects.toMatchObject({ code: "FILE_BINARY" });
});

test("edit works on the way through a large file, also where the text lies across two pieces", async () => {
  using bench = new FileBench();
  const before = Buffer.alloc(3 * mib, "0123456789abcde\n");
  for (const at of [0, mib - 3, 2 * mib - 1, 3 * mib - 6]) {
    const content = Buffer.from(before);
    content.write("NEEDLE", at);
    const after = await edited(bench, content, { old_string: "NEEDLE", new_string: "a longer text" });
    const expected = Buffer.concat([
      content.subarray(0, at),
      Buffer.from("a longer text"),
      content.subarray(at + 6),
    ]);
    expect(after.equals(expected)).toBe(true);
  }
});

test("edit counts in a large file as it does in a small one", async () => {
  using bench = new FileBench();
  const content = Buffer.alloc(2 * mib + 7, "word\r\n");
  writeFileSync(bench.path("file"), content);
  const edit = (given: object) => bench.call("edit", { path: "file", ...given });
  await expect(edit({ old_string: "word\nword", new_string: "x" })).rejects.toMatchObject({
    code: "TEXT_AMBIGUOUS",
  });
  await expect(edit({ old_string: "words", new_string: "x" })).rejects.toMatchObject({
    code: "TEXT_NOT_FOUND",
  });
  expect(readFileSync(bench.path("file")).equals(content)).toBe(true);
  expect(await edit({ old_string: "d\nw", new_string: "D\nW", replace_all: true })).toMatch(
    /^Replaced 349526 occurrences/,
  );
  const after = content.toString("latin1").replaceAll("d\r\nw", "D\r\nW");
  expect(readFileSync(bench.path("file"), "latin1") === after).toBe(true);
  expect(readdirSync(bench.root)).toEqual(["file"]);
});

test("edit_file makes all edits in order, or none", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "a b c");
  const edit = (...edits: object[]) => bench.call("edit_file", { path: "file", edits });
  await expect(
    edit({ old_string: "a", new_string: "x" }, { old_string: "a", new_string: "y" }),
  ).rejects.toMatchObject({
    code: "TEXT_NOT_FOUND",
    message: expect.stringContaining("the text of edit 2 of 2 was not found"),
  });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("a b c");
  expect(
    await edit(
      { old_string: "a", new_string: "bb" },
      { old_string: "b", new_string: "-", replace_all: true },
    ),
  ).toEqual({
    applied: 2,
    replacements: [1, 3],
  });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("-- - c");
});

test("edit_file replaces a million places in memory, and stops before the file grows too large", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "a".repeat(mib));
  const replace = (first: string, second: string) =>
    bench.call("edit_file", {
      path: "file",
      edits: [
        { old_string: "a", new_string: first, replace_all: true },
        { old_string: "b", new_string: second, replace_all: true },
      ],
    });
  await expect(replace("b", "c".repeat(60))).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  expect(readFileSync(bench.path("file"), "utf8") === "a".repeat(mib)).toBe(true);
  expect(await replace("bb", "c")).toEqual({ applied: 2, replacements: [mib, 2 * mib] });
  expect(readFileSync(bench.path("file"), "utf8") === "c".repeat(2 * mib)).toBe(true);
});

test("edit_file takes a single edit without a list, and refuses both or neither", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "a");
  const edit = (given: object) => bench.call("edit_file", { path: "file", ...given });
  expect(await edit({ old_string: "a", new_string: "b" })).toEqual({ applied: 1, replacements: [1] });
  await expect(edit({})).rejects.toThrow("give either edits, or old_string and new_string");
  await expect(edit({ old_string: "b" })).rejects.toThrow("give either edits");
  await expect(
    edit({ edits: [{ old_string: "b", new_string: "c" }], old_string: "b", new_string: "c" }),
  ).rejects.toThrow("give either edits");
});

test("edit counts as knowing a file only where it was known before", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("known"), "a b");
  writeFileSync(bench.path("unknown"), "a b");
  await bench.call("read", { path: "known" });
  await bench.call("edit", { path: "known", old_string: "a", new_string: "c" });
  await bench.call("edit", { path: "unknown", old_string: "a", new_string: "c" });
  expect(await bench.call("write", { path: "known", content: "x" })).toMatch(/^Replaced/);
  await expect(bench.call("write", { path: "unknown", content: "x" })).rejects.toMatchObject({
    code: "FILE_NOT_READ",
  });
});
