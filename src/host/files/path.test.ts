import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import { isInside, resolvePath } from "./path.ts";

function resolveGiven(given: string, base: string | undefined, followLast = true): string {
  return resolvePath(given, { base, followLast }).path;
}

function catchCode(given: string, base: string | undefined): string {
  try {
    return resolveGiven(given, base);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("resolvePath() follows links in every place, also before what does not exist yet", () => {
  using bench = new FileBench();
  mkdirSync(bench.path("real", "deep"), { recursive: true });
  symlinkSync(bench.path("real"), bench.path("absolute"));
  symlinkSync("real/deep", bench.path("relative"));
  symlinkSync("../absolute/deep", bench.path("real", "chain"));
  const { root } = bench;
  expect([
    resolveGiven("absolute/new/file.txt", root),
    resolveGiven("relative/file.txt", root),
    resolveGiven("real/chain/file.txt", root),
    resolveGiven("relative/..", root),
    resolveGiven("./absolute//deep/./", root),
    resolveGiven("real/nothing/../file.txt", root),
    resolveGiven("absolute", root, false),
    resolveGiven("absolute/chain", root, false),
  ]).toEqual([
    bench.path("real/new/file.txt"),
    bench.path("real/deep/file.txt"),
    bench.path("real/deep/file.txt"),
    bench.path("real"),
    bench.path("real/deep"),
    bench.path("real/file.txt"),
    bench.path("absolute"),
    bench.path("real/chain"),
  ]);
});

test("resolvePath() goes up from where a link leads, not from where it stands", () => {
  using bench = new FileBench();
  mkdirSync(join(bench.outside, "inner"));
  symlinkSync(join(bench.outside, "inner"), bench.path("link"));
  expect(resolveGiven("link/../secret", bench.root)).toBe(join(bench.outside, "secret"));
});

test("resolvePath() names the link that leads to nothing", () => {
  using bench = new FileBench();
  symlinkSync(join(bench.outside, "later", "file"), bench.path("dangling"));
  symlinkSync("dangling", bench.path("twice"));
  mkdirSync(bench.path("folder"));
  symlinkSync("folder", bench.path("fine"));
  expect(resolvePath("twice", { base: bench.root, followLast: true })).toEqual({
    path: join(bench.outside, "later", "file"),
    danglingLink: bench.path("dangling"),
  });
  expect(resolvePath("fine/new", { base: bench.root, followLast: true })).toEqual({
    path: bench.path("folder/new"),
  });
});

test("resolvePath() refuses forms that are no path of a file, each with its code", () => {
  using bench = new FileBench();
  symlinkSync("b", bench.path("a"));
  symlinkSync("a", bench.path("b"));
  symlinkSync("/proc/self/root", bench.path("magic"));
  const refused: Record<string, string> = {
    "": "PATH_INVALID",
    "a\0b": "PATH_INVALID",
    [`half \ud800`]: "PATH_INVALID",
    ["x".repeat(5000)]: "PATH_INVALID",
    a: "PATH_LINK_LOOP",
    "/proc/self/environ": "PATH_SPECIAL",
    "/proc/../proc/self/root/etc/passwd": "PATH_SPECIAL",
    "magic/etc/passwd": "PATH_SPECIAL",
    "/sys/kernel/notes": "PATH_SPECIAL",
    "/dev/zero": "PATH_SPECIAL",
    "/dev/fd/0": "PATH_SPECIAL",
    "/dev/stdin": "PATH_SPECIAL",
  };
  if (process.platform !== "win32") {
    refused["C:\\Windows\\win.ini"] = "PATH_INVALID";
    refused["c:/Windows/win.ini"] = "PATH_INVALID";
    refused["\\\\server\\share"] = "PATH_INVALID";
  }
  const paths = Object.keys(refused);
  expect(Object.fromEntries(paths.map((path) => [path, catchCode(path, bench.root)]))).toEqual(refused);
});

test("resolvePath() needs a base for a relative path, and takes ~ for the home folder", () => {
  expect(catchCode("notes.txt", undefined)).toBe("PATH_NO_BASE");
  expect(catchCode("~/notes-that-do-not-exist", undefined)).toBe(join(homedir(), "notes-that-do-not-exist"));
});

test("resolvePath() treats a file in the middle of a path as the end of what exists", () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "");
  expect(resolveGiven("file/inner", bench.root)).toBe(bench.path("file/inner"));
});

test("isInside() is not fooled by a sibling that begins with the same name", () => {
  const cases = [
    ["/home/ada", "/home/ada"],
    ["/home/ada", "/home/ada/a"],
    ["/", "/a"],
    ["/home/ada", "/home/ada-evil/a"],
    ["/home/ada", "/wor"],
    ["/home/ada/a", "/home/ada"],
  ] as const;
  expect(cases.map(([folder, path]) => isInside(folder, path))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
