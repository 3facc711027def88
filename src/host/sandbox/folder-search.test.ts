import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FolderSearch } from "./folder-search.ts";

let root = "";
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  root = mkdtempSync(join(tmpdir(), "haft-search-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true });
});

function write(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  }
}

const looked: string[] = [];
const searchFor = (name: string, mostFolders = 100) =>
  new FolderSearch({
    mostFolders,
    look: (path, entry) => {
      looked.push(path);
      if (entry.name === name) return "found";
      return entry.isDirectory() && entry.name !== "passed" ? "enter" : "pass";
    },
  });
const inRoot = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).sort();

test("FolderSearch.search() finds at any depth, passes over what it is told, and follows no link", () => {
  write("key", "a/b/c/key", "a/passed/key", "other");
  symlinkSync(join(root, "a"), join(root, "link"));
  const { found, missed } = searchFor("key").search(root);
  expect([inRoot(found), missed]).toEqual([["a/b/c/key", "key"], []]);
});

test("FolderSearch.search() looks near the root first, and says which folders were too many", () => {
  write("a/b/c/key", "d/key");
  const { found, missed } = searchFor("key", 3).search(root);
  expect([inRoot(found), inRoot(missed)]).toEqual([["d/key"], ["a/b"]]);
});

test("FolderSearch.search() sees what is new after ten seconds, and looks only into folders that have changed", () => {
  write("a/one", "b/two");
  const search = searchFor("key");
  for (const name of ["a", "b"]) utimesSync(join(root, name), 1, 1);
  search.search(root);
  write("a/key");
  vi.advanceTimersByTime(9_000);
  expect(search.search(root).found).toEqual([]);
  vi.advanceTimersByTime(2_000);
  looked.length = 0;
  expect(inRoot(search.search(root).found)).toEqual(["a/key"]);
  expect(inRoot(looked)).toEqual(["a/key", "a/one"]);
  vi.advanceTimersByTime(6 * 60_000);
  looked.length = 0;
  search.search(root);
  expect(inRoot(looked)).toContain("b/two");
});

test("FolderSearch.search() finds nothing in a folder that is gone", () => {
  expect(searchFor("key").search(join(root, "none"))).toEqual({ found: [], missed: [] });
});
