import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../src/app/store/index.ts";
import { sampleCall } from "../fixtures/store/sample-call.ts";
import { HeldProcess } from "../support/injected-fault.ts";
import { expectNothingLost } from "../support/store-proof.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-kills-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Numbers that look random and are the same in each run. */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const lanes = 4;
/** Checking a chain takes as long as the chain is. */
const killsOfStore = 25;

/** A writer that is killed after a random number of acknowledgements, and after a random time more. */
async function writeAndKill(
  path: string,
  prefix: string,
  chance: Generator<number, never>,
): Promise<readonly string[]> {
  await using writer = await HeldProcess.start("cycle.js", [path, prefix, "Infinity", String(lanes)]);
  writer.go();
  const steps = Math.floor(chance.next().value * 80);
  await writer.until(() => writer.lines.length >= steps);
  await new Promise((later) => void setTimeout(later, chance.next().value * 3));
  writer.kill();
  await writer.closed;
  return writer.lines;
}

test("expectNothingLost() notices an acknowledged step that is not there, and one too many", async () => {
  const path = join(folder, "proof.db");
  await using writer = await HeldProcess.start("cycle.js", [path, "a", "2"]);
  writer.go();
  await writer.closed;
  const { lines } = writer;
  await expectNothingLost(path, { prefix: "a", lines });
  for (const word of ["asked", "answered", "claimed", "granted", "started", "ended", "revoked"])
    await expect(expectNothingLost(path, { prefix: "a", lines: [...lines, `${word} a2`] })).rejects.toThrow(
      word,
    );
  await expect(expectNothingLost(path, { prefix: "a", lines: [...lines, "revoked a1"] })).rejects.toThrow(
    "stands",
  );
  const without = lines.filter((line) => !line.endsWith(" a1"));
  await expect(expectNothingLost(path, { prefix: "a", lines: without })).rejects.toThrow(
    "expected 1 to be less",
  );
  {
    await using store = await openStore({ path });
    await store.ledger.start(sampleCall("a1"));
  }
  await expect(expectNothingLost(path, { prefix: "a", lines })).rejects.toThrow("to deeply equal []");
});

test("a store with two writers loses nothing that was acknowledged in 200 kills", async () => {
  const rounds = Array.from({ length: 200 }, (_, round) => round).values();
  const paths = new Set<string>();
  const steps: number[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  const checkInTurn = async (check: () => Promise<void>) => {
    turn = turn.then(check);
    await turn;
  };
  // Each store is checked while the other writer writes, or dies.
  const killOn = async (seed: number) => {
    const chance = chances(seed);
    for (const round of rounds) {
      const prefix = `kill${round}-`;
      const path = join(folder, `${Math.floor(round / killsOfStore)}.db`);
      paths.add(path);
      const lines = await writeAndKill(path, prefix, chance);
      await checkInTurn(() => expectNothingLost(path, { prefix, lines, lanes }));
      steps.push(lines.length);
    }
  };
  await Promise.all([killOn(42), killOn(4711)]);
  let unknown = 0;
  for (const path of paths) {
    await using store = await openStore({ path });
    unknown += (await store.ledger.list({ state: "unknown", limit: 1000 })).length;
  }
  expect(steps.length).toBe(200);
  // It would prove little if they had been killed before they began, or between two steps.
  expect(steps.filter((count) => count > 5).length).toBeGreaterThan(150);
  expect(unknown).toBeGreaterThan(0);
}, 400_000);
