import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UndoFolder, Workspace } from "../../../host/index.ts";
import { FileLookup } from "./file-lookup.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-lookup-")));
afterAll(() => rmSync(base, { recursive: true }));

function open(name: string): { readonly folder: string; readonly lookup: FileLookup } {
  const folder = join(base, name);
  mkdirSync(join(folder, "own"), { recursive: true });
  const workspace = new Workspace({
    undo: new UndoFolder(join(base, "undo")),
    hiddenPaths: [join(folder, "own")],
  });
  const place = {
    workspace,
    context: { allowedPaths: [folder] },
    cwd: folder,
    hasProgram: () => true,
    programs: { find: () => undefined },
  };
  return { folder, lookup: new FileLookup(place) };
}

test("FileLookup knows files, folders and links, also those that lead nowhere", () => {
  const { folder, lookup } = open("kinds");
  writeFileSync(join(folder, "file"), "");
  symlinkSync("nothing", join(folder, "link"));
  for (const name of ["file", "link", "own", "."]) expect(lookup.isAbsent(join(folder, name))).toBe(false);
  expect(lookup.isAbsent(join(folder, "other"))).toBe(true);
  expect(lookup.isAbsent(join(folder, "file/below"))).toBe(true);
});

test("FileLookup tells nothing of what the call may not see", () => {
  const { folder, lookup } = open("hidden");
  writeFileSync(join(folder, "own/key"), "");
  writeFileSync(join(base, "beside"), "");
  for (const path of [
    join(folder, "own/key"),
    join(folder, "own/none"),
    join(base, "beside"),
    join(base, "none"),
  ]) {
    expect(lookup.isAbsent(path)).toBe(false);
  }
});

test("FileLookup stops looking after so many paths, and knows those it looked at", () => {
  const { folder, lookup } = open("many");
  const told = Array.from({ length: 100 }, (_, index) => lookup.isAbsent(join(folder, `a${index}`)));
  expect(told.filter(Boolean)).toHaveLength(64);
  expect(lookup.isAbsent(join(folder, "a0"))).toBe(true);
});
