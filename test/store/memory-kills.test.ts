import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { HeldProcess, whyNoFaults } from "../support/injected-fault.ts";
import { expectRemembered } from "../support/memory-proof.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-memory-kills-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Numbers that look random and are the same in each run. */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

async function remember(path: string, prefix: string, count: string): Promise<HeldProcess> {
  const writer = await HeldProcess.start("remember.js", [path, prefix, count]);
  writer.go();
  return writer;
}

test("expectRemembered() notices what was lost, half a change, one too many, and an index that lags behind", async () => {
  const path = join(folder, "proof.db");
  await using writer = await remember(path, "proofq", "3");
  await writer.closed;
  const { lines } = writer;
  const expectBroken = async (statement: string, message: RegExp, heard = lines) => {
    const db = new DatabaseSync(path);
    db.exec(`savepoint before; ${statement}; release before`);
    await expect(expectRemembered(path, { prefix: "proofq", lines: heard })).rejects.toThrow(message);
    db.close();
  };
  await expectRemembered(path, { prefix: "proofq", lines });
  await expectBroken("select 1", /proofqz/u, [...lines, "made proofqz"]);
  await expectBroken("select 1", /expected 3 to be less/u, lines.slice(0, -4));
  await expectBroken("delete from memory_word where word like 'gamma%'", /to deeply equal/u);
  await expectBroken("delete from memory_version", /half a change/u);
});

test("memory loses nothing that was acknowledged in 200 kills, and keeps no half of a change", async () => {
  const rounds = Array.from({ length: 200 }, (_, round) => round).values();
  const steps: number[] = [];
  const killOn = async (seed: number) => {
    const chance = chances(seed);
    for (const round of rounds) {
      const prefix = `kill${String.fromCharCode(97 + Math.floor(round / 26), 97 + (round % 26))}q`;
      const path = join(folder, `${Math.floor(round / 25)}.db`);
      await using writer = await remember(path, prefix, "Infinity");
      const enough = Math.floor(chance.next().value * 12);
      await writer.until(() => writer.lines.length >= enough);
      await new Promise((later) => void setTimeout(later, chance.next().value * 3));
      writer.kill();
      await writer.closed;
      const isLast = round % 25 > 22;
      await expectRemembered(path, { prefix, lines: writer.lines, searched: isLast ? 2 : 1 });
      steps.push(writer.lines.length);
    }
  };
  await Promise.all([killOn(42), killOn(4711)]);
  expect(steps.length).toBe(200);
  // It would prove little if they had been killed before they began.
  expect(steps.filter((count) => count > 3).length).toBeGreaterThan(120);
}, 400_000);

test("two processes that remember at once lose nothing, and give each turn a place of its own", async () => {
  const path = join(folder, "shared.db");
  await using one = await remember(path, "oneq", "40");
  await using other = await remember(path, "otherq", "40");
  await Promise.all([one.closed, other.closed]);
  for (const [prefix, { lines }] of [
    ["oneq", one],
    ["otherq", other],
  ] as const) {
    expect(lines.at(-1)).toBe("closed");
    await expectRemembered(path, { prefix, lines, searched: 40 });
  }
});

test("memory says STORE_FULL on a full disk, keeps nothing of what failed, and goes on once there is space", async ({
  skip,
}) => {
  const cannot = await whyNoFaults();
  skip(cannot !== undefined, cannot);
  const path = join(folder, "full.db");
  await using writer = await remember(path, "fullq", "Infinity");
  const count = (word: string) => writer.lines.filter((line) => line.startsWith(word)).length;
  await writer.until(() => count("shared") >= 3);
  await writer.suffer({ calls: ["pwrite64"], does: "error=ENOSPC", when: "1+" });
  await writer.until(() => count("failed") >= 5);
  await writer.recover();
  const before = count("shared");
  await writer.until(() => count("shared") >= before + 3);
  writer.kill();
  await writer.closed;
  const { lines } = writer;
  const failed = lines.filter((line) => line.startsWith("failed"));
  expect(failed.filter((line) => !line.includes(" STORE_FULL "))).toEqual([]);
  await expectRemembered(path, {
    prefix: "fullq",
    lines: lines.filter((line) => !line.startsWith("failed")),
  });
});
