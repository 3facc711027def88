import fc from "fast-check";
import { expect, test } from "vitest";
import { answered, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry, EntryContent } from "../../modules/sessions/index.ts";
import { findLimit, findStart, isTooLarge, planCompaction, planSummary, type Room } from "./plan.ts";
import { measure } from "./size.ts";

/** Steps of one call each, whose results have these tokens. */
function steps(sizes: readonly number[], tokens: number = 10): Entry[] {
  const contents = [
    said("Do it."),
    ...sizes.flatMap((_, at) => [answered(at + 1, "", ["read"]), resulted(`r.${at + 1}.1`)]),
  ];
  return number(...contents).map((entry) => ({
    ...entry,
    tokens: entry.kind === "result" ? (sizes[Number(entry.callId.split(".")[1]) - 1] ?? 0) : tokens,
  }));
}

const isFull = (entries: readonly Entry[], room: Room): boolean =>
  isTooLarge(measure(entries, room.prefixTokens), room);

/** The entries once a plan was carried out, as the journal shows them. */
function carryOut(entries: readonly Entry[], room: Room, summaryTokens: number): Entry[] | undefined {
  const plan = planCompaction(entries, room);
  if (plan.do === "give-up") return undefined;
  const seq = Math.max(...entries.map((entry) => entry.seq)) + 1;
  const facts = { seq, epoch: 1, runId: "r", trust: "trusted", private: false, at: 1 } as const;
  if (plan.do === "prune") return [...entries, { kind: "prune", before: plan.before, ...facts, tokens: 0 }];
  const summary: Entry = {
    kind: "summary",
    text: "…",
    keptFrom: plan.keptFrom,
    attempt: plan.attempt,
    ...facts,
    tokens: summaryTokens,
  };
  return [summary, ...entries.filter((entry) => entry.kind !== "summary" && entry.seq >= plan.keptFrom)];
}

test("findLimit() leaves room for the answer, and half of a small window", () => {
  expect(findLimit({ contextTokens: 200_000, answerTokens: 8_000 })).toBe(184_000);
  expect(findLimit({ contextTokens: 200_000, answerTokens: 64_000 })).toBe(136_000);
  expect(findLimit({ contextTokens: 8_192, answerTokens: 4_000 })).toBe(4_096);
});

test("planCompaction() shows old results as one line each, where that is enough", () => {
  const entries = steps([30_000, 30_000, 2_000, 2_000]);
  const room = { prefixTokens: 1_000, limit: 60_000 };
  expect(isFull(entries, room)).toBe(true);
  expect(planCompaction(entries, room)).toEqual({ do: "prune", before: 6 });
});

test("planCompaction() sums up what is no result, and keeps the newest", () => {
  const entries = steps(
    Array.from({ length: 40 }, () => 100),
    1_000,
  );
  const room = { prefixTokens: 1_000, limit: 50_000 };
  expect(isFull(entries, room)).toBe(true);
  const plan = planCompaction(entries, room);
  expect(plan).toEqual({ do: "summarise", keptFrom: 62, attempt: 1 });
});

test("planCompaction() puts everything into the summary where the newest result alone is too large to keep", () => {
  const entries = steps([100, 90_000]);
  expect(planCompaction(entries, { prefixTokens: 1_000, limit: 100_000 })).toEqual({
    do: "summarise",
    keptFrom: 6,
    attempt: 1,
  });
});

test("planCompaction() gives up at once where the instructions alone are too large", () => {
  const plan = planCompaction(steps([100]), { prefixTokens: 9_000, limit: 10_000 });
  expect(plan).toMatchObject({ do: "give-up", prefixTokens: 9_000 });
});

test("planCompaction() gives up where two summaries in a row have not helped", () => {
  const room = { prefixTokens: 100, limit: 10_000 };
  let entries: Entry[] | undefined = steps([5_000, 1_500, 1_500]);
  const done: string[] = [];
  for (let round = 0; entries !== undefined && round < 9; round++) {
    const before: Entry[] = entries;
    done.push(planCompaction(before, room).do);
    entries = carryOut(before, room, 1_000);
    // The provider counts far more than was estimated.
    entries?.push({
      ...(answered(round + 3, "So.") as EntryContent & { kind: "answer" }),
      inputTokens: 9_500,
      seq: 100 + round,
      epoch: 1,
      runId: "r",
      tokens: 300,
      trust: "trusted",
      private: false,
      at: 1,
    });
  }
  expect(done.filter((one) => one === "summarise")).toHaveLength(2);
  expect(done.at(-1)).toBe("give-up");
});

test("measure() takes the provider's count of the last request, but not that of one before a summary", () => {
  const counted = (entries: readonly Entry[]) =>
    entries.map((entry) => (entry.kind === "answer" ? { ...entry, inputTokens: 5_000 } : entry));
  const entries = counted(steps([100, 200]));
  expect(measure(entries, 77)).toBe(5_000 + 10 + 200);
  const summary: Entry = {
    ...(entries[0] as Entry),
    kind: "summary",
    text: "",
    keptFrom: 4,
    attempt: 1,
    seq: 6,
  };
  expect(measure([{ ...summary, tokens: 50 }, ...entries.slice(3)], 77)).toBe(77 + 50 + 10 + 200);
});

test("measure() takes a count of an earlier epoch only where it is higher than the estimate", () => {
  const [first, answer, result, message] = steps([100]).concat(number(said("Now another model."))) as Entry[];
  const count = (inputTokens: number) =>
    measure(
      [first, { ...answer, inputTokens }, result, { ...message, seq: 9, epoch: 2 }] as readonly Entry[],
      7_000,
    );
  expect(count(9_000)).toBe(9_000 + 10 + 100 + 1);
  // The tools of the new epoch are far more than those that were counted.
  expect(count(500)).toBe(7_000 + 10 + 10 + 100 + 1);
});

test("planSummary() keeps a message that no answer has followed, and gives up where it has no room", () => {
  const room = { prefixTokens: 100, limit: 10_000 };
  const entries = steps([2_000, 2_000, 1_000]);
  const message = (tokens: number): Entry => ({ ...(entries[0] as Entry), seq: 8, tokens });
  expect(planSummary([...entries, message(4_000)], room)).toEqual({
    do: "summarise",
    keptFrom: 8,
    attempt: 1,
  });
  expect(planSummary([...entries, message(9_000)], room)).toBeUndefined();
  expect(planCompaction([...entries, message(9_000)], room)).toMatchObject({
    do: "give-up",
    unreadTokens: 9_000,
  });
});

test("planCompaction(): whatever the entries and the limits, it ends, makes room, and parts no answer from its results", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 0, max: 50_000 }),
      fc.integer({ min: 4_000, max: 200_000 }),
      (results, tokens, prefixTokens, limit) => {
        const room = { prefixTokens, limit };
        let entries: Entry[] | undefined = steps(results, tokens);
        let summaries = 0;
        for (let round = 0; round < 10 && entries !== undefined && isFull(entries, room); round++) {
          entries = carryOut(entries, room, Math.floor(Math.min(6_000, limit * 0.15)));
          if (entries?.[0]?.kind === "summary" && entries.at(-1)?.kind !== "prune") summaries++;
        }
        expect(summaries).toBeLessThanOrEqual(2);
        expect(entries === undefined || !isFull(entries, room)).toBe(true);
        const kept = entries ?? [];
        for (const [at, entry] of kept.entries())
          if (entry.kind === "result")
            expect(
              kept
                .slice(0, at)
                .some((one) => one.kind === "answer" && one.step === Number(entry.callId.split(".")[1])),
            ).toBe(true);
      },
    ),
    { numRuns: 3_000 },
  );
});

test("findStart() begins with a whole step", () => {
  const entries = number(
    said("x"),
    answered(1, "", ["a", "b"]),
    resulted("r.1.1"),
    resulted("r.1.2"),
    answered(2, "", ["c"]),
    resulted("r.2.1"),
  );
  expect([0, 1, 2, 3, 4, 5, 6, 99].map((tokens) => findStart(entries, tokens))).toEqual([
    undefined,
    undefined,
    5,
    5,
    5,
    2,
    1,
    1,
  ]);
});
