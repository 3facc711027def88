import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DiskCall, HeldProcess, type InjectedFault, whyNoFaults } from "../support/injected-fault.ts";
import { expectNothingLost } from "../support/store-proof.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-disk-faults-")));
afterAll(() => rmSync(folder, { recursive: true }));

let cannot: string | undefined;
beforeAll(async () => {
  cannot = await whyNoFaults();
  if (cannot !== undefined) process.stdout.write(`Disk faults are not tried here: ${cannot}\n`);
});

let places = 0;
const newPlace = () => join(folder, String(places++));

/** Lets a process work, has its disk fail until it told of that `failures` times, and lets it work again. */
async function sufferAndRecover(
  fixture: string,
  args: readonly string[],
  {
    done,
    fault,
    failures,
  }: { readonly done: string; readonly fault: InjectedFault; readonly failures: number },
): Promise<readonly string[]> {
  await using process = await HeldProcess.start(fixture, args);
  const lines = (word: string) => process.lines.filter((line) => line.startsWith(word)).length;
  process.go();
  await process.until(() => lines(done) >= 3);
  await process.suffer(fault);
  await process.until(() => lines("failed") >= failures);
  await process.recover();
  const before = process.lines.length;
  await process.until(() => process.lines.slice(before).filter((line) => line.startsWith(done)).length >= 3);
  process.kill();
  await process.closed;
  return process.lines;
}

interface StoreFault {
  readonly calls: readonly DiskCall[];
  readonly error: string;
  readonly durability: "normal" | "full";
  readonly code: string;
  readonly remedy: string;
}

const disk = "see that the disk is sound, then start haft again";
const space = "free some space: nothing that was stored is lost, and the next call tries again";
const storeFaults: readonly StoreFault[] = [
  { calls: ["pwrite64"], error: "EIO", durability: "normal", code: "STORE_IO", remedy: disk },
  { calls: ["pwrite64"], error: "ENOSPC", durability: "normal", code: "STORE_FULL", remedy: space },
  { calls: ["pwrite64"], error: "EIO", durability: "full", code: "STORE_IO", remedy: disk },
  { calls: ["fsync", "fdatasync"], error: "EIO", durability: "full", code: "STORE_IO", remedy: disk },
  { calls: ["fsync", "fdatasync"], error: "ENOSPC", durability: "full", code: "STORE_IO", remedy: disk },
];

test.for(storeFaults)(
  "a store of durability $durability says $code for $error of $calls, keeps nothing of what failed, and goes on once the fault is gone",
  async ({ calls, error, durability, code, remedy }, { skip }) => {
    skip(cannot !== undefined, cannot);
    const place = newPlace();
    mkdirSync(place);
    const path = join(place, "haft.db");
    const fault = { calls, does: `error=${error}`, when: "1+" };
    const lines = await sufferAndRecover("troubled-store.js", [path, durability], {
      done: "ended",
      fault,
      failures: 5,
    });
    const failed = lines.filter((line) => line.startsWith("failed"));
    expect(failed.filter((line) => !line.includes(` ${code} Cannot write the store "${path}": `))).toEqual(
      [],
    );
    expect(failed.filter((line) => !line.endsWith(`; ${remedy}`))).toEqual([]);
    await expectNothingLost(path, { prefix: "call-", lines });
  },
);

/** What happens while it writes is tried on a small disk, in `src/host/files/workspace-faults.test.ts`. */
const workspaceFaults = [
  { calls: ["fsync"], error: "EIO", code: "FILE_FAILED", state: "the disk reported a fault; check it" },
  { calls: ["rename"], error: "EIO", code: "FILE_FAILED", state: "the disk reported a fault; check it" },
  {
    calls: ["rename"],
    error: "EROFS",
    code: "FILE_PERMISSION",
    state: "it lies on a file system that is read-only; choose another place",
  },
] as const;

test.for(workspaceFaults)(
  "a workspace says $code for $error of $calls, leaves files whole, and goes on once the fault is gone",
  async ({ calls, error, code, state }, { skip }) => {
    skip(cannot !== undefined, cannot);
    const place = newPlace();
    mkdirSync(place);
    const lines = await sufferAndRecover("troubled-workspace.js", [place], {
      done: "put",
      fault: { calls, does: `error=${error}`, when: "1+" },
      failures: 5,
    });
    const failed = lines.filter((line) => line.startsWith("failed"));
    const expected = `failed whole ${code} Cannot write "${join(place, "file")}": ${state}`;
    expect(failed.filter((line) => line !== expected)).toEqual([]);
    // A last write may have been cut off by the kill.
    expect(readdirSync(place).filter((name) => name !== "file").length).toBeLessThanOrEqual(1);
  },
);
