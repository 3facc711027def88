import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/app/store/index.ts";
import { sampleCall, sampleOutcome } from "../fixtures/store/sample-call.ts";
import { HeldProcess, whyNoFaults } from "../support/injected-fault.ts";
import { expectNothingLost } from "../support/store-proof.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-crash-points-"));
afterAll(() => rmSync(folder, { recursive: true }));

let cannot: string | undefined;
beforeAll(async () => {
  cannot = await whyNoFaults();
  if (cannot !== undefined) process.stdout.write(`Crash points are not tried here: ${cannot}\n`);
});

interface Course {
  readonly cycles: number;
  /** The folder of the store to begin with. @default none */
  readonly template?: string;
}

let places = 0;

/** Has a writer die at each of its writes, two writers at a time; says how many writes there are. */
async function dieEverywhere({ cycles, template }: Course): Promise<number> {
  let next = 1;
  let last = Number.POSITIVE_INFINITY;
  const lane = async () => {
    while (next <= last) {
      const write = next++;
      const place = join(folder, String(places++));
      if (template === undefined) mkdirSync(place);
      else cpSync(template, place, { recursive: true });
      if (!(await diesAt(write, cycles, join(place, "haft.db")))) last = Math.min(last, write - 1);
      rmSync(place, { recursive: true });
    }
  };
  await Promise.all([lane(), lane()]);
  return last;
}

/** A writer that dies as it is about to write for the nth time; false: it came to its end before. */
async function diesAt(write: number, cycles: number, path: string): Promise<boolean> {
  await using writer = await HeldProcess.start("cycle.js", [path, "cycle-", String(cycles)]);
  await writer.suffer({ does: "signal=KILL", when: String(write) });
  writer.go();
  const { signal, exitCode } = await writer.closed;
  await goOn(path);
  await expectNothingLost(path, { prefix: "cycle-", lines: writer.lines });
  if (signal === "SIGKILL") return true;
  expect([exitCode, writer.lines.at(-1)]).toEqual([0, "closed"]);
  return false;
}

/** Whatever was left behind, the next process can work. */
async function goOn(path: string): Promise<void> {
  await using store = await openStore({ path });
  await store.ledger.start(sampleCall("next"));
  await store.ledger.end(sampleCall("next"), sampleOutcome());
  expect((await store.ledger.show("next"))?.state).toBe("completed");
}

/** A store whose only process was killed between the start of a call and its end. */
async function makeCutOff(): Promise<string> {
  const place = join(folder, "cut-off");
  mkdirSync(place);
  await using writer = await HeldProcess.start("cycle.js", [join(place, "haft.db"), "before-", "Infinity"]);
  writer.go();
  await writer.until(() => writer.lines.includes("started before-1"));
  writer.kill();
  await writer.closed;
  return place;
}

test("a store that is made and closed loses nothing at any of its writes", async ({ skip }) => {
  skip(cannot !== undefined, cannot);
  const writes = await dieEverywhere({ cycles: 0 });
  process.stdout.write(`A new store was cut off at each of its ${writes} writes\n`);
  expect(writes).toBeGreaterThan(50);
}, 400_000);

test("a store that recovers from a kill, is used and closed loses nothing at any of its writes", async ({
  skip,
}) => {
  skip(cannot !== undefined, cannot);
  const writes = await dieEverywhere({ cycles: 1, template: await makeCutOff() });
  process.stdout.write(`A store in recovery was cut off at each of its ${writes} writes\n`);
  expect(writes).toBeGreaterThan(40);
}, 400_000);
