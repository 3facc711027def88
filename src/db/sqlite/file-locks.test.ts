import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { FileLocks } from "./file-locks.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-locks-"));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (path: string) => new DatabaseSync(path);

test("FileLocks.take() takes a lock once, until it is released", () => {
  const [one, other] = [new FileLocks(folder, open), new FileLocks(folder, open)];
  expect(one.take("r_1")).toBe(true);
  expect(other.take("r_1")).toBe(false);
  expect([one.has("r_1"), other.has("r_1")]).toEqual([true, false]);
  one.release("r_1", { remove: false });
  expect(other.take("r_1")).toBe(true);
  other.release("r_1", { remove: true });
  expect(existsSync(join(folder, "r_1"))).toBe(false);
});

test("FileLocks.take() takes a lock whose file its last holder removes meanwhile", () => {
  const last = new FileLocks(folder, open);
  last.take("r_2");
  const locks = new FileLocks(folder, (path) => {
    const file = open(path);
    last.release("r_2", { remove: true });
    return file;
  });
  expect(locks.take("r_2")).toBe(true);
  expect(new FileLocks(folder, open).take("r_2")).toBe(false);
  locks.release("r_2", { remove: true });
});

test("FileLocks.release() lets go of a lock whose file cannot be removed, as on Windows while another opens it", () => {
  const locks = new FileLocks(folder, open);
  locks.take("r_4");
  const file = join(folder, "r_4");
  rmSync(file);
  mkdirSync(file); // It is not removed as a file is.
  locks.release("r_4", { remove: true });
  expect(locks.has("r_4")).toBe(false);
  rmSync(file, { recursive: true });
  expect(locks.take("r_4")).toBe(true);
  locks.release("r_4", { remove: true });
});

test("FileLocks.clear() removes a lock that nobody holds any more, and no other", () => {
  const [one, other] = [new FileLocks(folder, open), new FileLocks(folder, open)];
  expect(one.clear("r_5")).toBe(false); // Nobody has taken it.
  one.take("r_5");
  expect([one.clear("r_5"), other.clear("r_5")]).toEqual([false, false]);
  one.release("r_5", { remove: false }); // As the system does when its process dies.
  expect(other.clear("r_5")).toBe(true);
  expect(existsSync(join(folder, "r_5"))).toBe(false);
  expect([one.clear("r_5"), other.has("r_5")]).toEqual([false, false]);
});
