import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { levelsHere, sandboxOf } from "../../../test/support/sandbox-levels.ts";
import type { SandboxReport } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-prove-"));
afterAll(() => rmSync(folder, { recursive: true }));
const levels = await levelsHere();

/** What is said of a bubblewrap that a shell stands before. */
async function reportOf(script: string): Promise<SandboxReport> {
  const bubblewrap = join(folder, `bwrap-${Math.random()}`);
  writeFileSync(bubblewrap, `#!/bin/sh\n${script}\n`);
  chmodSync(bubblewrap, 0o755);
  const sandbox = sandboxOf("bubblewrap", { bubblewrap });
  try {
    return await sandbox.report();
  } finally {
    await sandbox.close();
  }
}

/** Starts the real one without its filter. */
const withoutFilter =
  'for arg do shift; case $arg in --seccomp) skip=1;; *) [ -z "$skip" ] && set -- "$@" "$arg"; skip=;; esac; done';

test.runIf(levels.includes("bubblewrap"))(
  "A bubblewrap that filters no system calls is not believed",
  async () => {
    const { level, detail } = await reportOf(`${withoutFilter}; exec bwrap "$@"`);
    expect([level, detail]).toEqual(["none", "bubblewrap does not filter its commands' system calls"]);
  },
);

test.runIf(levels.includes("bubblewrap"))(
  "Where the kernel has no filters, bubblewrap holds without, and that is said",
  async () => {
    const refusing = `case " $* " in *" --seccomp "*) echo "bwrap: prctl(PR_SET_SECCOMP): Invalid argument" >&2; exit 1;; esac`;
    const { level, detail } = await reportOf(`${refusing}; exec bwrap "$@"`);
    expect([level, detail]).toEqual([
      "bubblewrap",
      expect.stringMatching(/nothing outlives it; no system call is filtered/),
    ]);
  },
);

test.runIf(levels.includes("other-user"))(
  "Another user cannot work on a project of root's: it is said, and what to do",
  async () => {
    const sandbox = sandboxOf("other-user");
    const report = await sandbox.report();
    await sandbox.close();
    expect(report).toMatchObject({
      detail: expect.stringContaining("work on a project of root's fails"),
      remedy: expect.stringContaining("chmod -R o+rwX"),
    });
  },
);
