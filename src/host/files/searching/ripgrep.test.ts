import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FileBench } from "../../../../test/support/files.ts";
import { runRipgrep } from "./ripgrep.ts";

const neverAborted = new AbortController().signal;

/** A pipe that nobody writes to keeps ripgrep waiting for ever. */
function waitFor(bench: FileBench, given: { readonly maxMs: number; readonly signal?: AbortSignal }) {
  execFileSync("mkfifo", [bench.path("pipe")]);
  return runRipgrep(["a", "./pipe"], {
    cwd: bench.root,
    signal: neverAborted,
    onOutput: () => true,
    ...given,
  });
}

test("runRipgrep() stops at its time, and when it is cancelled", async () => {
  using slow = new FileBench();
  expect(await waitFor(slow, { maxMs: 100 })).toEqual({ stopped: "time", exitCode: null, complaint: "" });
  using cancelled = new FileBench();
  const controller = new AbortController();
  const pending = waitFor(cancelled, { maxMs: 60_000, signal: controller.signal });
  controller.abort(new Error("given up"));
  await expect(pending).rejects.toThrow("given up");
});

test("runRipgrep() stops when its reader has enough, or fails", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "word\n".repeat(200_000));
  const run = (onOutput: () => boolean) =>
    runRipgrep(["word", "./"], { cwd: bench.root, signal: neverAborted, maxMs: 60_000, onOutput });
  expect(await run(() => false)).toMatchObject({ stopped: "enough" });
  await expect(
    run(() => {
      throw new Error("cannot take it");
    }),
  ).rejects.toThrow("cannot take it");
});

test("runRipgrep() hands over what ripgrep complains of, and no environment", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("config"), "--bogus\n");
  process.env["RIPGREP_CONFIG_PATH"] = bench.path("config");
  try {
    const end = await runRipgrep(["(", "./"], {
      cwd: bench.root,
      signal: neverAborted,
      maxMs: 10_000,
      onOutput: () => true,
    });
    expect(end).toMatchObject({
      stopped: undefined,
      exitCode: 2,
      complaint: expect.stringContaining("unclosed group"),
    });
    expect(end.complaint).not.toContain("bogus");
  } finally {
    delete process.env["RIPGREP_CONFIG_PATH"];
  }
});
