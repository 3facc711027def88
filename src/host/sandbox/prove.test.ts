import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import { lookForProgram } from "./find-program.ts";
import type { SandboxReport } from "./report.ts";
import { Sandbox } from "./sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-prove-"));
afterAll(() => rmSync(folder, { recursive: true }));
const levels = await levelsHere();
const bwrap = lookForProgram("bwrap", process.env["PATH"]);
const withPerl = needs("perl", lookForProgram("perl", process.env["PATH"]) !== undefined);

/** What is said of a bubblewrap that a shell stands before. */
async function readReport(script: string): Promise<SandboxReport> {
  const bubblewrap = join(folder, `bwrap-${Math.random()}`);
  writeFileSync(bubblewrap, `#!/bin/sh\n${script}\n`);
  chmodSync(bubblewrap, 0o755);
  const sandbox = openSandbox("bubblewrap", { bubblewrap });
  try {
    return await sandbox.report();
  } finally {
    await sandbox.close();
  }
}

/** Starts the real one without its filter. */
const withoutFilter =
  'for arg do shift; case $arg in --seccomp) skip=1;; *) [ -z "$skip" ] && set -- "$@" "$arg"; skip=;; esac; done';

test(
  "A bubblewrap that filters no system calls is not believed",
  needs("bubblewrap", levels.includes("bubblewrap")),
  async () => {
    const { level, detail } = await readReport(`${withoutFilter}; exec ${bwrap} "$@"`);
    expect([level, detail]).toEqual(["none", "bubblewrap does not filter its commands' system calls"]);
  },
);

test(
  "Where the kernel has no filters, bubblewrap holds without, and that is said",
  needs("bubblewrap", levels.includes("bubblewrap")),
  async () => {
    const refusing = `case " $* " in *" --seccomp "*) echo "bwrap: prctl(PR_SET_SECCOMP): Invalid argument" >&2; exit 1;; esac`;
    const { level, detail } = await readReport(`${refusing}; exec ${bwrap} "$@"`);
    expect([level, detail]).toEqual([
      "bubblewrap",
      expect.stringMatching(/nothing outlives it; no system call is filtered/),
    ]);
  },
);

describe("An unshare in place of the system's", needs("linux", process.platform === "linux"), () => {
  afterEach(() => vi.unstubAllEnvs());

  /** What is said of the level where this script is `unshare`. */
  async function reportOfUnshare(script: string): Promise<SandboxReport> {
    const place = mkdtempSync(join(folder, "unshare-"));
    writeFileSync(join(place, "unshare"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${place}:${process.env["PATH"]}`);
    const sandbox = new Sandbox({ levels: ["bubblewrap", "unshare"], bubblewrap: join(place, "none") });
    try {
      return await sandbox.report();
    } finally {
      await sandbox.close();
    }
  }

  test(
    "that is refused namespaces gives way to a lesser level, with what to install and to allow",
    withPerl,
    async () => {
      expect(
        await reportOfUnshare("echo 'unshare failed: Operation not permitted' >&2; exit 1"),
      ).toMatchObject({
        level: "none",
        detail: expect.stringContaining("unshare does not run here: unshare failed: Operation not permitted"),
        remedy: expect.stringMatching(/^install bubblewrap .*, and allow user namespaces/),
      });
    },
  );

  test("that runs the command with nothing around it is not believed", withPerl, async () => {
    const { level, detail } = await reportOfUnshare('until [ "$1" = run ]; do shift; done; shift; exec "$@"');
    expect(level).toBe("none");
    expect(detail).toMatch(/unshare (leaves|does not run)|a command in unshare/);
  });

  test("that leaves the network is not believed", needs("sandbox", levels.includes("unshare")), async () => {
    const { level, detail } = await reportOfUnshare(
      'PATH="${PATH#*:}"; for arg do shift; [ "$arg" = --net ] || set -- "$@" "$arg"; done; exec unshare "$@"',
    );
    expect([level, detail]).toEqual([
      "none",
      expect.stringMatching(/unshare (leaves its commands the network|.*cannot start the loopback device)/),
    ]);
  });
});

test(
  "Another user cannot work on a project of root's: it is said, and what to do",
  needs("another user", levels.includes("other-user")),
  async () => {
    const sandbox = openSandbox("other-user");
    const report = await sandbox.report();
    await sandbox.close();
    expect(report).toMatchObject({
      detail: expect.stringContaining("work on a project of root's fails"),
      remedy: expect.stringContaining("chmod -R o+rwX"),
    });
  },
);
