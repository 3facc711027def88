import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countFileCalls } from "../../../test/support/count-file-calls.ts";
import { FileBench } from "../../../test/support/files.ts";

function put(bench: FileBench, path: string, content: string | Uint8Array): void {
  mkdirSync(join(bench.path(path), ".."), { recursive: true });
  writeFileSync(bench.path(path), content);
}

test("grep shows matching lines as path:line:text, in the order of their paths", async () => {
  using bench = new FileBench();
  put(bench, "src/b.ts", "one\nTODO: two\nthree\n");
  put(bench, "src/a.ts", "TODO: first");
  put(bench, ".github/ci.yml", "# TODO\n");
  expect(await bench.call("grep", { pattern: "TODO" })).toBe(
    ".github/ci.yml:1:# TODO\nsrc/a.ts:1:TODO: first\nsrc/b.ts:2:TODO: two",
  );
  expect(
    await bench.call("grep", { pattern: "todo", path: "src/b.ts", case_insensitive: true, "-C": 1 }),
  ).toBe("src/b.ts-1-one\nsrc/b.ts:2:TODO: two\nsrc/b.ts-3-three");
  expect(await bench.call("grep", { pattern: "nothing at all" })).toBe(
    "[no matches; set gitignore to false to search ignored files too]",
  );
});

test("grep narrows by type, by glob and by both, and honours .gitignore with a switch", async () => {
  using bench = new FileBench();
  put(bench, ".gitignore", "dist/\n*.gen.ts\n");
  for (const path of ["a.ts", "b.gen.ts", "dist/c.ts", "lib/d.ts", "lib/e.js", "lib/deep/f.ts"])
    put(bench, path, "word\n");
  const files = async (given: object) =>
    String(await bench.call("grep", { pattern: "word", output_mode: "count", ...given })).split("\n");
  expect({
    all: await files({}),
    ignored: await files({ gitignore: false }),
    type: await files({ type: "ts" }),
    glob: await files({ glob: "*.ts" }),
    path: await files({ glob: "lib/**/*.ts" }),
    both: await files({ type: "js", glob: "lib/*" }),
    braces: await files({ glob: "{d,e}.*" }),
  }).toEqual({
    all: ["a.ts:1", "lib/d.ts:1", "lib/deep/f.ts:1", "lib/e.js:1"],
    ignored: ["a.ts:1", "b.gen.ts:1", "dist/c.ts:1", "lib/d.ts:1", "lib/deep/f.ts:1", "lib/e.js:1"],
    type: ["a.ts:1", "lib/d.ts:1", "lib/deep/f.ts:1"],
    glob: ["a.ts:1", "lib/d.ts:1", "lib/deep/f.ts:1"],
    path: ["lib/d.ts:1", "lib/deep/f.ts:1"],
    both: ["lib/e.js:1"],
    braces: ["lib/d.ts:1", "lib/e.js:1"],
  });
});

test("grep gives files with matches newest first", async () => {
  using bench = new FileBench();
  for (const [name, at] of [
    ["old", 1000],
    ["new", 3000],
    ["middle", 2000],
  ] as const) {
    put(bench, name, "word\nword\n");
    utimesSync(bench.path(name), at, at);
  }
  expect(await bench.call("grep", { pattern: "word", output_mode: "files_with_matches" })).toBe(
    "new\nmiddle\nold",
  );
});

test("grep takes a pattern as text, over lines, and with look-around", async () => {
  using bench = new FileBench();
  put(bench, "a", "f(x)\nstart {\n  end }\nprice: 10\nname: 10\n");
  expect(await bench.call("grep", { pattern: "f(x)", literal: true })).toBe("a:1:f(x)");
  expect(await bench.call("grep", { pattern: "start \\{\\s+end", multiline: true })).toBe(
    "a:2:start {\na:3:  end }",
  );
  expect(await bench.call("grep", { pattern: "(?<=price: )\\d+" })).toBe("a:4:price: 10");
});

test("grep says what is wrong with a pattern or a type", async () => {
  using bench = new FileBench();
  put(bench, "a", "a");
  await expect(bench.call("grep", { pattern: "(" })).rejects.toMatchObject({
    code: "SEARCH_PATTERN",
    message:
      'Cannot search for "(": unclosed group; correct it, or set literal to search for it as it stands',
  });
  await expect(bench.call("grep", { pattern: "a\\nb" })).rejects.toMatchObject({
    code: "SEARCH_PATTERN",
    message: expect.stringMatching(/set multiline to match over lines$/),
  });
  await expect(bench.call("grep", { pattern: "(?=(" })).rejects.toMatchObject({ code: "SEARCH_PATTERN" });
  await expect(bench.call("grep", { pattern: "a", type: "klingon" })).rejects.toMatchObject({
    code: "SEARCH_PATTERN",
  });
  await expect(bench.call("grep", { pattern: "a", path: "none" })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
  });
});

test("grep reads CRLF, byte order marks, UTF-16, Latin-1 and long lines, and leaves binary files out", async () => {
  using bench = new FileBench();
  put(bench, "crlf", "one\r\nfind me\r\n");
  put(bench, "bom", "\ufefffind me\nfind me too\n");
  put(bench, "utf16le", Buffer.from("\ufeffa\r\nfind mé\r\n", "utf16le"));
  put(bench, "utf16be", Buffer.from("\ufefffind mé", "utf16le").swap16());
  put(bench, "latin1", Buffer.from("find mé\n", "latin1"));
  put(bench, "binary", Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from("\nfind me\n")]));
  put(
    bench,
    "late-binary",
    Buffer.concat([Buffer.from("find me\n"), Buffer.alloc(10), Buffer.from("\nfind me\n")]),
  );
  put(bench, "long", `${"x".repeat(3000)}find me${"y".repeat(3000)}\n`);
  const found = String(await bench.call("grep", { pattern: "find m" })).split("\n");
  const long = found.find((line) => line.startsWith("long:")) ?? "";
  expect(found.filter((line) => line !== long)).toEqual([
    "bom:1:find me",
    "bom:2:find me too",
    "crlf:2:find me",
    "latin1:1:find mé",
    "utf16be:1:find mé",
    "utf16le:2:find mé",
  ]);
  expect(long).toMatch(/^long:1:\[…\]x{125}find mey+\[…\]$/);
});

test("grep stops at its limits and says so", async () => {
  using bench = new FileBench();
  put(bench, "many", "word\n".repeat(1500));
  const lines = String(await bench.call("grep", { pattern: "word" })).split("\n");
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toBe(
    "[stopped at 1000 matching lines, there are more; narrow the pattern, the path or the glob]",
  );
  expect(String(await bench.call("grep", { pattern: "word", max_results: 2 })).split("\n")).toHaveLength(3);
  expect(await bench.call("grep", { pattern: "word", output_mode: "count" })).toBe("many:1500");
});

test("grep never goes through a link, nor into files that hold secrets, unless they are named", async () => {
  using bench = new FileBench();
  writeFileSync(join(bench.outside, "canary"), "token = 1\n");
  symlinkSync(bench.outside, bench.path("folder-link"));
  symlinkSync(join(bench.outside, "canary"), bench.path("file-link"));
  for (const path of [
    ".env",
    ".env.production",
    "keys/server.pem",
    ".ssh/config",
    "credentials.json",
    "code.ts",
  ]) {
    put(bench, path, "token = 1\n");
  }
  expect(await bench.call("grep", { pattern: "token" })).toBe("code.ts:1:token = 1");
  expect(await bench.call("grep", { pattern: "token", gitignore: false, glob: "*" })).toBe(
    "code.ts:1:token = 1",
  );
  expect(await bench.call("grep", { pattern: "token", path: ".env" })).toBe(".env:1:token = 1");
  expect(await bench.foreseeEffects("grep", { path: "file-link" })).toEqual([
    { kind: "read", target: join(bench.outside, "canary"), within: false },
  ]);
});

test("grep stops when it is cancelled", async () => {
  using bench = new FileBench();
  put(bench, "a", "a");
  const controller = new AbortController();
  const pending = bench.call("grep", { pattern: "a" }, { signal: controller.signal });
  controller.abort(new Error("given up"));
  await expect(pending).rejects.toThrow("given up");
});

test("grep_files gives matches as data, with their number", async () => {
  using bench = new FileBench();
  put(bench, "lib/a.js", "x = 1\ny = 2\nz = 3\n");
  expect(
    await bench.call("grep_files", { pattern: "= \\d", path: "lib", include: "*.js", max_results: 2 }),
  ).toEqual({
    matches: [
      { path: "lib/a.js", line: 1, text: "x = 1" },
      { path: "lib/a.js", line: 2, text: "y = 2" },
    ],
    totalMatches: 3,
    truncated: true,
  });
  expect(await bench.call("grep_files", { pattern: "y", context: 1 })).toEqual({
    matches: [
      { path: "lib/a.js", line: 1, text: "x = 1", context: true },
      { path: "lib/a.js", line: 2, text: "y = 2" },
      { path: "lib/a.js", line: 3, text: "z = 3", context: true },
    ],
    totalMatches: 1,
    truncated: false,
  });
});

test("glob finds files newest first, hidden ones too, and honours .gitignore with a switch", async () => {
  using bench = new FileBench();
  put(bench, ".gitignore", "out/\nskip.ts\n");
  for (const [name, at] of [
    ["a.ts", 1],
    ["src/b.ts", 4],
    ["src/.hidden/c.ts", 3],
    ["out/d.ts", 5],
    ["skip.ts", 6],
    ["e.js", 7],
    [".git/f.ts", 8],
  ] as const) {
    put(bench, name, "");
    utimesSync(bench.path(name), at, at);
  }
  const find = (given: object) => bench.call("glob", given);
  expect({
    all: await find({ pattern: "**/*.ts" }),
    ignored: await find({ pattern: "**/*.ts", gitignore: false }),
    here: await find({ pattern: "*.ts" }),
    folder: await find({ pattern: "src/**/*.ts" }),
    path: await find({ pattern: "**/*.ts", path: "src" }),
    absolute: await find({ pattern: bench.path("src/*.ts") }),
    exact: await find({ pattern: "src/b.ts" }),
    braces: await find({ pattern: "**/*.{js,ts}", path: "src/" }),
    none: await find({ pattern: "*.py" }),
  }).toEqual({
    all: "src/b.ts\nsrc/.hidden/c.ts\na.ts",
    ignored: "skip.ts\nout/d.ts\nsrc/b.ts\nsrc/.hidden/c.ts\na.ts",
    here: "a.ts",
    folder: "src/b.ts\nsrc/.hidden/c.ts",
    path: "src/b.ts\nsrc/.hidden/c.ts",
    absolute: bench.path("src/b.ts"),
    exact: "src/b.ts",
    braces: "src/b.ts\nsrc/.hidden/c.ts",
    none: "[no files found; set gitignore to false to look among ignored files too]",
  });
});

test("glob asks for the folder that the pattern leads to, and follows no link below it", async () => {
  using bench = new FileBench();
  writeFileSync(join(bench.outside, "canary.ts"), "");
  symlinkSync(bench.outside, bench.path("link"));
  expect(await bench.foreseeEffects("glob", { pattern: "../outside/*.ts", path: "." })).toEqual([
    { kind: "read", target: bench.outside, within: false },
  ]);
  expect(await bench.foreseeEffects("glob", { pattern: "link/*.ts", path: "." })).toEqual([
    { kind: "read", target: bench.outside, within: false },
  ]);
  expect(await bench.call("glob", { pattern: "**/*.ts" })).toBe(
    "[no files found; set gitignore to false to look among ignored files too]",
  );
  await expect(bench.call("glob", { pattern: "**/../x" })).rejects.toMatchObject({ code: "SEARCH_PATTERN" });
});

test("glob and listdir show names that are not UTF-8, and names that would break the list", async () => {
  using bench = new FileBench();
  put(bench, "plain.txt", "");
  put(bench, "two\nlines.txt", "");
  writeFileSync(
    Buffer.concat([Buffer.from(`${bench.root}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]),
    "abc",
  );
  const found = String(await bench.call("glob", { pattern: "*.txt" }))
    .split("\n")
    .sort();
  expect(found).toEqual(["caf\\xE9.txt", "plain.txt", "two\\nlines.txt"]);
  const listed = String(await bench.call("listdir", { path: "." })).split("\n");
  expect(listed.map((line) => line.replace(/^(.)\s+(\S+ ?B).*Z /, "$1 $2 "))).toEqual([
    "f 3 B caf\\xE9.txt (name is not UTF-8)",
    "f 0 B plain.txt",
    "f 0 B two\\nlines.txt",
  ]);
  expect(await bench.call("grep", { pattern: "abc" })).toMatch(/^\[no matches/);
});

test("grep reads lines that lie near each other at once", async () => {
  using bench = new FileBench();
  put(bench, "near.txt", "a line with a word\n".repeat(300));
  const calls = await countFileCalls(async () => {
    expect(String(await bench.call("grep", { pattern: "word" })).split("\n").length).toBe(300);
  });
  expect(calls.get("readSync")?.length).toBeLessThan(6);
});
