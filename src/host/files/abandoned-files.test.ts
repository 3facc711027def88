import {
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeAbandonedFiles } from "./abandoned-files.ts";
import { makeTemporaryName } from "./temporary-name.ts";

const [, machine, pid, startedAt] = makeTemporaryName().split(/[-.]/).slice(1) as string[];
/** A name as another process of this machine would make it. */
const nameFor = (writer: { machine?: string; pid?: string; startedAt?: string }) => {
  const { machine: at = machine, pid: id = pid, startedAt: since = startedAt } = writer;
  return `.haft-${at}-${id}-${since}-0123456789abcdef.tmp`;
};
/** This process started at another time: whoever wrote it had the same number before. */
const dead = nameFor({ startedAt: "1" });
const former = ".haft-0123456789abcdef.tmp";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-abandoned-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function put(folder: string, name: string, ageInHours = 0): string {
  const path = join(folder, name);
  writeFileSync(path, "half");
  const at = Date.now() / 1000 - ageInHours * 3600;
  utimesSync(path, at, at);
  return path;
}

test.for([
  ["of a process whose number is used again", dead, 0, []],
  ["of a process that is gone", nameFor({ pid: "999999999" }), 0, []],
  ["of a process that lives, however old", makeTemporaryName(), 999, "stays"],
  ["of another machine, young", nameFor({ machine: "00000000", startedAt: "1" }), 23, "stays"],
  ["of another machine, more than a day old", nameFor({ machine: "00000000", startedAt: "1" }), 25, []],
  ["of an earlier version, young", former, 23, "stays"],
  ["of an earlier version, more than a day old", former, 25, []],
  ["with a name that is only similar", ".haft-mine.tmp", 999, "stays"],
  ["with more behind the name", `${dead}.tmp`, 999, "stays"],
] as const)("removeAbandonedFiles() and a file %s", ([, name, ageInHours, left]) => {
  const folder = newFolder();
  put(folder, name, ageInHours);
  expect(removeAbandonedFiles([folder])).toBe(left === "stays" ? 0 : 1);
  expect(readdirSync(folder)).toEqual(left === "stays" ? [name] : left);
});

test("removeAbandonedFiles() leaves links, folders, files with another name, and what it finds through a link", () => {
  const folder = newFolder();
  const outside = newFolder();
  const target = put(outside, dead);
  symlinkSync(target, join(folder, dead));
  mkdirSync(join(folder, nameFor({ startedAt: "2" })));
  linkSync(put(folder, "mine"), join(folder, nameFor({ startedAt: "3" })));
  symlinkSync(outside, join(folder, "linked"));
  expect(removeAbandonedFiles([folder], { levels: 3 })).toBe(0);
  expect(readdirSync(outside)).toEqual([dead]);
  expect(readdirSync(folder)).toHaveLength(5);
});

test("removeAbandonedFiles() leaves what belongs to another user", (context) => {
  if (process.getuid?.() !== 0) return context.skip("only root can give a file away");
  const folder = newFolder();
  chownSync(put(folder, dead), 65_534, 65_534);
  expect(removeAbandonedFiles([folder])).toBe(0);
});

test("removeAbandonedFiles() goes down as many levels as it is told, and passes over what is not there", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "a/b"), { recursive: true });
  for (const place of [".", "a", "a/b"]) put(folder, join(place, dead));
  expect(removeAbandonedFiles([join(folder, "none"), folder], { levels: 1 })).toBe(2);
  expect(readdirSync(join(folder, "a/b"))).toEqual([dead]);
});
