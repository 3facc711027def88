import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { LateSource } from "./late-source.ts";

function setUp(
  more: { readonly follow?: boolean; readonly isNeeded?: boolean; readonly fault?: Error } = {},
) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-late-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "agent/tools");
  const log: string[] = [];
  const errors: unknown[] = [];
  const late = new LateSource({
    paths: [path],
    follow: more.follow ?? false,
    isNeeded: more.isNeeded ?? false,
    onError: (error) => void errors.push(error),
    open: async () => {
      log.push("open");
      return {
        start: async () => {
          log.push("start");
          if (more.fault !== undefined) throw more.fault;
        },
        problems: () => [{ where: path, code: "X", message: "one" }],
        reload: async () => void log.push("reload"),
        close: async () => void log.push("close"),
      };
    },
  });
  onTestFinished(() => late.close());
  return { late, log, errors, appear: () => mkdirSync(path, { recursive: true }), path };
}

test("LateSource opens nothing where there is nothing, and has no problems then", async () => {
  const { late, log } = setUp();
  await late.start();
  await late.reload();
  expect(late.problems()).toEqual([]);
  await late.close();
  expect(log).toEqual([]);
});

test("LateSource opens what is there, once", async () => {
  const { late, log, appear } = setUp();
  appear();
  await late.start();
  await late.start();
  await late.reload();
  expect(late.problems()).toHaveLength(1);
  await late.close();
  expect(log).toEqual(["open", "start", "reload", "close"]);
});

test("LateSource.reload() opens what has come meanwhile", async () => {
  const { late, log, appear } = setUp();
  await late.start();
  appear();
  await late.reload();
  expect(late.source).toBeDefined();
  expect(log).toEqual(["open", "start"]);
});

test("LateSource opens what comes later, where it follows", async () => {
  const { late, log, appear, path } = setUp({ follow: true });
  await late.start();
  expect(late.source).toBeUndefined();
  appear();
  writeFileSync(join(path, "a.md"), "");
  await vi.waitFor(() => expect(late.source).toBeDefined(), 30_000);
  expect(log).toEqual(["open", "start"]);
});

test("LateSource opens what is needed whatever is there, and tells of what can't be opened", async () => {
  const fault = new Error("broken");
  const { late, errors } = setUp({ isNeeded: true, fault });
  await late.start();
  expect(late.source).toBeUndefined();
  expect(late.fault).toBe(fault);
  expect(errors).toEqual([fault]);
});
