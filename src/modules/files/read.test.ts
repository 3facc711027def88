import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import { makePdf } from "../../../test/support/pdf.ts";
import { ToolContent } from "../../kernel/index.ts";

const mib = 1024 * 1024;

function makeLines(count: number, width = 20): string {
  return Array.from({ length: count }, (_, at) => `line ${at} `.padEnd(width, "x")).join("\n");
}

test("read gives a text file as it is, exactly", async () => {
  using bench = new FileBench();
  const texts = ["one\ntwo\n", "no newline at the end", "a\r\nb\r\n", "\n\n\n", "tab\tünïcödé 🙂\n"];
  for (const text of texts) {
    writeFileSync(bench.path("file"), text);
    expect(await bench.call("read", { path: "file" })).toBe(text);
  }
  writeFileSync(bench.path("empty"), "");
  expect(await bench.call("read", { path: "empty" })).toBe("[the file is empty]");
});

test("read gives windows of lines, each saying how to go on", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "a\nb\nc\nd");
  const read = (window: object) => bench.call("read", { path: "file", ...window });
  expect([
    await read({ limit: 2 }),
    await read({ offset: 2, limit: 1 }),
    await read({ offset: 3, limit: 5 }),
    await read({ limit: 4 }),
  ]).toEqual([
    "a\nb\n[lines 1 to 2 of 4; use offset 2 to continue]",
    "c\n[lines 3 to 3 of 4; use offset 3 to continue]",
    "d\n[lines 4 to 4 of 4, the end of the file]",
    "a\nb\nc\nd",
  ]);
  await expect(read({ offset: 4 })).rejects.toMatchObject({
    code: "OFFSET_TOO_LARGE",
    message: `Cannot read "${bench.path("file")}" from line 4: it has 4 lines; use an offset below that`,
  });
});

test("read stops after 2,000 lines, and after 100,000 characters, at the end of a line", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("lines"), makeLines(5000));
  writeFileSync(bench.path("wide"), makeLines(5000, 200));
  writeFileSync(bench.path("one"), "x".repeat(200_000));
  const lines = String(await bench.call("read", { path: "lines" }));
  expect(lines.split("\n")).toHaveLength(2001);
  expect(lines).toMatch(/\n\[lines 1 to 2000 of 5000; use offset 2000 to continue\]$/);
  const wide = String(await bench.call("read", { path: "wide" }));
  expect(wide).toMatch(/\n\[lines 1 to 497 of 5000; use offset 497 to continue\]$/);
  expect(await bench.call("read", { path: "one" })).toBe(
    `${"x".repeat(100_000)}\n[line 1 is longer than 100000 characters and cut here; search in it with grep]`,
  );
});

test("read and read_file page through any file without losing or doubling a character", async () => {
  using bench = new FileBench();
  const text = `${makeLines(3000, 70)}\r\n${"ü".repeat(3000)}\n\n${makeLines(9000, 61)}\n`;
  writeFileSync(bench.path("file"), text);
  for (const limit of [1999, 4096]) {
    let all = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = (await bench.call("read_file", { path: "file", offset, limit })) as {
        content: string;
        nextOffset?: number;
      };
      all += page.content;
      offset = page.nextOffset;
    }
    expect(all).toBe(text);
  }
});

test("read_file gives content, size and the number of lines", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "ä\nb\nc");
  expect(await bench.call("read_file", { path: "file" })).toEqual({
    content: "ä\nb\nc",
    size: 6,
    totalLines: 3,
  });
  expect(await bench.call("read_file", { path: "file", offset: 1, limit: 1 })).toEqual({
    content: "b\n",
    size: 6,
    totalLines: 3,
    nextOffset: 2,
  });
  writeFileSync(bench.path("empty"), "");
  expect(await bench.call("read_file", { path: "empty" })).toEqual({ content: "", size: 0, totalLines: 0 });
  writeFileSync(bench.path("bytes"), Buffer.from([0, 255, 1]));
  expect(await bench.call("read_file", { path: "bytes", encoding: "base64" })).toEqual({
    content: "AP8B",
    size: 3,
    totalLines: 0,
  });
});

test("read finds lines on both sides of every piece it reads in", async () => {
  using bench = new FileBench();
  // 64 bytes a line: a line begins exactly where each piece of 256 KiB does.
  const text = makeLines(40_000, 63);
  writeFileSync(bench.path("file"), text);
  const lines = text.split("\n");
  for (const offset of [4095, 4096, 4097, 8192, 39_999, 12_288, 0, 20_000]) {
    const page = String(await bench.call("read", { path: "file", offset, limit: 1 }));
    expect(page.split("\n")[0]).toBe(lines[offset]);
  }
});

test("read decodes byte order marks, UTF-16 and Latin-1, and says which", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("bom"), "\ufeffone\ntwo\n");
  writeFileSync(bench.path("le"), Buffer.from("\ufeffeins\r\nzwei ü\r\ndrei", "utf16le"));
  writeFileSync(bench.path("be"), Buffer.from("\ufeffeins\nzwei", "utf16le").swap16());
  writeFileSync(bench.path("latin1"), Buffer.from("caf\u00e9\n", "latin1"));
  expect([
    await bench.call("read", { path: "bom" }),
    await bench.call("read", { path: "le" }),
    await bench.call("read", { path: "le", offset: 1, limit: 1 }),
    await bench.call("read", { path: "be" }),
    await bench.call("read", { path: "latin1" }),
    await bench.call("read_file", { path: "le" }),
  ]).toEqual([
    "one\ntwo\n",
    "eins\r\nzwei ü\r\ndrei\n[the file is in utf-16le, shown here as Unicode]",
    "zwei ü\r\n[lines 2 to 2 of 3; use offset 2 to continue; the file is in utf-16le, shown here as Unicode]",
    "eins\nzwei\n[the file is in utf-16be, shown here as Unicode]",
    "café\n[the file is in latin1, shown here as Unicode]",
    { content: "eins\r\nzwei ü\r\ndrei", size: 38, totalLines: 3, note: "the file is in utf-16le" },
  ]);
});

test("read refuses binary files and says what they are", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("program"), Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(100)]));
  await expect(bench.call("read", { path: "program" })).rejects.toMatchObject({
    code: "FILE_BINARY",
    message: `Cannot read "${bench.path("program")}" as text: it is a binary file of 104 bytes; use get_file_info or a command for that kind of file`,
  });
});

test("read takes a file of 50 MiB and refuses a larger one", async () => {
  using bench = new FileBench();
  const line = `${"x".repeat(63)}\n`;
  writeFileSync(bench.path("large"), Buffer.alloc(50 * mib, line));
  expect(await bench.call("read", { path: "large", offset: 819_198 })).toBe(
    `${line}${line}[lines 819199 to 819200 of 819200, the end of the file]`,
  );
  expect(await bench.call("read_file", { path: "large", offset: 400_000, limit: 1 })).toEqual({
    content: line,
    size: 50 * mib,
    totalLines: 819_200,
    nextOffset: 400_001,
  });
  appendFileSync(bench.path("large"), "x");
  await expect(bench.call("read", { path: "large" })).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
});

test("read shows what is there when a file shrinks or grows between two reads of it", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("log"), makeLines(50_000));
  await bench.call("read", { path: "log", offset: 40_000, limit: 1 });
  truncateSync(bench.path("log"), 104);
  expect(String(await bench.call("read", { path: "log" })).split("\n")).toHaveLength(5);
  await expect(bench.call("read", { path: "log", offset: 40_000 })).rejects.toMatchObject({
    code: "OFFSET_TOO_LARGE",
  });
});

test("read says that a file was changed while it was read, and then it does not count as read", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), makeLines(900_000, 40));
  const pending = bench.call("read_file", { path: "file" });
  await setImmediate();
  appendFileSync(bench.path("file"), "\nmore");
  expect(((await pending) as { note?: string }).note).toBe(
    "the file was changed while it was read; read it again",
  );
  await expect(bench.call("write", { path: "file", content: "new" })).rejects.toMatchObject({
    code: "FILE_NOT_READ",
  });
});

test("read shows pictures as pictures, whatever their name", async () => {
  using bench = new FileBench();
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  writeFileSync(bench.path("picture.txt"), png);
  expect(await bench.call("read", { path: "picture.txt" })).toEqual(
    new ToolContent([{ type: "image", data: png.toString("base64"), mimeType: "image/png" }]),
  );
  writeFileSync(bench.path("huge.png"), Buffer.concat([png, Buffer.alloc(4_000_000)]));
  expect(await bench.call("read", { path: "huge.png" })).toMatch(
    /^\[an image \(image\/png\) of 40000\d\d bytes: too large/,
  );
});

test("read gives the text of a PDF in windows, and refuses a broken one", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("paper.pdf"), makePdf(["Hello from page one", "And from page two"]));
  expect(await bench.call("read", { path: "paper.pdf" })).toBe(
    "--- page 1 of 2 ---\nHello from page one\n--- page 2 of 2 ---\nAnd from page two\n",
  );
  expect(await bench.call("read", { path: "paper.pdf", offset: 3 })).toBe(
    "And from page two\n[lines 4 to 4 of 4, the end of the file]",
  );
  writeFileSync(bench.path("broken.pdf"), "%PDF-1.4\nnothing more");
  await expect(bench.call("read", { path: "broken.pdf" })).rejects.toMatchObject({ code: "PDF_UNREADABLE" });
  writeFileSync(bench.path("scan.pdf"), makePdf([""]));
  await expect(bench.call("read", { path: "scan.pdf" })).rejects.toMatchObject({
    code: "PDF_UNREADABLE",
    message: expect.stringContaining("probably scanned images"),
  });
});

test("read gives up a PDF when it is cancelled", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("paper.pdf"), makePdf(["Hello"]));
  const controller = new AbortController();
  const pending = bench.call("read", { path: "paper.pdf" }, { signal: controller.signal });
  await setImmediate();
  controller.abort(new Error("given up"));
  await expect(pending).rejects.toThrow("given up");
});

test("read stops when it is cancelled", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("large"), makeLines(1_500_000, 30));
  const controller = new AbortController();
  const pending = bench.call("read_file", { path: "large" }, { signal: controller.signal });
  await setImmediate();
  controller.abort(new Error("given up"));
  await expect(pending).rejects.toThrow("given up");
});

test("read follows a link to where it leads, and declares that place", async () => {
  using bench = new FileBench();
  writeFileSync(join(bench.outside, "secret"), "canary");
  symlinkSync(join(bench.outside, "secret"), bench.path("link"));
  expect(await bench.foreseeEffects("read", { path: "link" })).toEqual([
    { kind: "read", target: join(bench.outside, "secret"), within: false },
  ]);
  await expect(bench.call("read", { path: "link" }, { effects: [] })).rejects.toMatchObject({
    code: "PATH_OUTSIDE",
    message: expect.stringContaining("permission denied"),
  });
});

test("listdir and list_files describe what is in a folder", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("src", "deep"), { recursive: true });
  mkdirSync(bench.path("node_modules", "package"), { recursive: true });
  writeFileSync(bench.path("src", "a.ts"), "12345");
  writeFileSync(bench.path("src", "deep", "b.md"), "");
  symlinkSync(bench.outside, bench.path("link"));
  writeFileSync(join(bench.outside, "canary"), "");
  execFileSync("mkfifo", [bench.path("pipe")]);
  const names = (text: unknown) =>
    String(text)
      .split("\n")
      .map((line) => `${line[0]} ${line.replace(/^.*Z /, "")}`);
  expect(names(await bench.call("listdir", { path: "." }))).toEqual([
    "l link",
    "d node_modules/",
    "? pipe",
    "d src/",
  ]);
  expect(names(await bench.call("listdir", { path: ".", recursive: true }))).toEqual([
    "l link",
    "d node_modules/ (not entered)",
    "? pipe",
    "d src/",
    "f src/a.ts",
    "d src/deep/",
    "f src/deep/b.md",
  ]);
  const { files } = (await bench.call("list_files", { recursive: true, pattern: "*.{ts,md}" })) as {
    files: object[];
  };
  expect(files).toEqual([
    { path: "src/a.ts", type: "file", size: 5, modified: expect.stringMatching(/^\d{4}-.*Z$/) },
    { path: "src/deep/b.md", type: "file", size: 0, modified: expect.any(String) },
  ]);
  expect(await bench.call("listdir", { path: "node_modules/package" })).toBe("[the folder is empty]");
  await expect(bench.call("listdir", { path: "src/a.ts" })).rejects.toMatchObject({
    code: "FILE_NOT_FOLDER",
  });
});

test("listdir shows at most 10,000 entries and says that there are more", async () => {
  using bench = new FileBench();
  for (let at = 0; at < 10_001; at++) writeFileSync(bench.path(`${at}`), "");
  const lines = String(await bench.call("listdir", { path: "." })).split("\n");
  expect(lines).toHaveLength(10_001);
  expect(lines.at(-1)).toBe("[the first 10000 entries that were found; list a subfolder, or use glob]");
});

test("get_file_info tells what is there, and that nothing is", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "12345", { mode: 0o640 });
  symlinkSync("file", bench.path("link"));
  expect(await bench.call("get_file_info", { path: "link" })).toEqual({
    exists: true,
    size: 5,
    modified: expect.stringMatching(/Z$/),
    type: "file",
    mode: "640",
    path: bench.path("file"),
  });
  expect(await bench.call("get_file_info", { path: "none/at/all" })).toEqual({
    exists: false,
    size: null,
    modified: null,
  });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("12345");
});
