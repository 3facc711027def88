import { expect, test } from "vitest";
import { answered, noted, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry, EntryContent } from "../../modules/sessions/index.ts";
import { planCompaction } from "./plan.ts";
import { findShortfall } from "./progress.ts";

const room = { prefixTokens: 1_000, limit: 100_000 };
const over = 60_001;

/** An answer to a request that the provider counted; undefined: it did not. */
const counted = (step: number, inputTokens?: number): EntryContent => ({
  ...(answered(step, "So.", ["read"]) as EntryContent & { kind: "answer" }),
  ...(inputTokens !== undefined && { inputTokens }),
});
const pruned: EntryContent = { kind: "prune", before: 3 };

/** Entries as they are shown after a summary: it comes first, and was written after the two that it kept. */
function summed(attempt: number, ...after: readonly EntryContent[]): Entry[] {
  const kept = [counted(7, 95_000), resulted("r.7.1")];
  const summary: EntryContent = { kind: "summary", text: "…", keptFrom: 1, attempt };
  const [first, second, third, ...rest] = number(...kept, summary, ...after);
  return [third as Entry, first as Entry, second as Entry, ...rest];
}

const results = (step: number) => resulted(`r.${step}.1`);
const fewSteps = [counted(8, over), results(8), counted(9, 70_000), results(9)];

test.for<readonly [string, Entry[], number | undefined]>([
  ["no compaction", number(said("Do it."), counted(1, 95_000), results(1)), undefined],
  ["a summary and no request yet", summed(1), undefined],
  ["a summary and a note", summed(1, noted("time")), undefined],
  ["60 % and one token after a summary", summed(1, counted(8, over)), over],
  ["60 % after a summary", summed(1, counted(8, 60_000)), undefined],
  ["a provider that does not count", summed(1, counted(8), results(8)), undefined],
  [
    "a later request that is larger",
    summed(1, counted(8, 50_000), results(8), counted(9, 79_000)),
    undefined,
  ],
  ["a first request that was too large, and a smaller one", summed(1, ...fewSteps), over],
  ["a message of the user since", summed(1, counted(8, over), said("And this.")), undefined],
  [
    "five steps since",
    summed(1, ...[8, 9, 10, 11, 12].flatMap((step) => [counted(step, over), results(step)])),
    undefined,
  ],
  ["a second summary", summed(2, counted(8, over)), over],
  ["a pruning", number(said("Do it."), counted(1, 95_000), results(1), pruned, counted(2, over)), over],
  ["a pruning and no request yet", number(said("Do it."), counted(1, 95_000), results(1), pruned), undefined],
])("findShortfall() after %s", ([, entries, expected]) => {
  expect(findShortfall(entries, room)).toBe(expected);
});

/** The same entries with so many tokens each, but for summaries. */
const sized = (entries: readonly Entry[], tokens: number): Entry[] =>
  entries.map((entry) => (entry.kind === "summary" ? entry : { ...entry, tokens }));

test("planCompaction() keeps half as much in the summary after one that freed too little, and then gives up", () => {
  const talk = Array.from(
    { length: 80 },
    (_, at): EntryContent => ({
      ...(answered(at + 1, "So.") as EntryContent & { kind: "answer" }),
      inputTokens: at === 0 ? over : 65_000,
    }),
  );
  const kept = (entries: readonly Entry[]) => {
    const plan = planCompaction(sized(entries, 1_000), room);
    if (plan.do !== "summarise") throw new Error(plan.do);
    return {
      tokens: entries.filter(({ seq, kind }) => kind !== "summary" && seq >= plan.keptFrom).length * 1_000,
      attempt: plan.attempt,
    };
  };
  const first = kept(number(said("Do it."), ...talk));
  expect(first).toEqual({ tokens: 20_000, attempt: 1 });
  // The newest entries of the same conversation, after a summary whose first request was too large.
  const [summary] = summed(1) as [Entry];
  const rest = number(...talk).map((entry) => ({ ...entry, seq: entry.seq - 100 }));
  const again = [{ ...summary, seq: 0 }, ...rest, { ...(rest[0] as Entry), seq: 1 }];
  expect(kept(again)).toEqual({ tokens: 10_000, attempt: 2 });
  const third = [{ ...summary, seq: 0, attempt: 2 } as Entry, ...rest, { ...(rest[0] as Entry), seq: 1 }];
  expect(planCompaction(sized(third, 1_000), room)).toMatchObject({ do: "give-up", counted: over });
});

test("planCompaction() sums up after a pruning that freed too little, though it could prune more", () => {
  const entries = number(
    said("Do it."),
    ...Array.from({ length: 40 }, (_, at) => [counted(at + 1, 70_000), results(at + 1)]).flat(),
    { kind: "prune", before: 40 },
    counted(41, over),
    results(41),
  );
  expect(planCompaction(sized(entries, 1_000), room)).toMatchObject({ do: "summarise", attempt: 1 });
});
