import { expect, test } from "vitest";
import type { KeptApproval } from "../../modules/approvals/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import { readWaits } from "./waits.ts";

function call(notes: readonly string[], endedAt: number | undefined = 2000): CallRecord {
  return { callId: "c_1", startedAt: 1000, endedAt, notes } as Partial<CallRecord> as CallRecord;
}

function asking(question: Partial<KeptApproval>) {
  return { get: async (id: string) => (id === "a_1" ? (question as KeptApproval) : undefined) };
}

const question = { createdAt: 1100, answeredAt: 1500, state: "used", reason: "it runs a command" } as const;

test("readWaits() has the wait for a person from the question to its answer, and the wait for a turn", async () => {
  const noted = call(["question: a_1", "waited: 30 ms for its turn, 505 ms after it began"]);
  const approvals = asking({ ...question, answer: { approved: true, by: "owner:ada" } });
  const waits = (await readWaits(approvals, [noted])).get("c_1");
  expect(waits).toMatchObject([
    { kind: "person", name: "owner:ada", startedAt: 1100, endedAt: 1500, about: "it runs a command" },
    { kind: "turn", startedAt: 1505, endedAt: 1535 },
  ]);
});

test("readWaits() ends the wait for an answer that came too late, or never, with the call", async () => {
  const late = await readWaits(asking({ ...question, answeredAt: 9000 }), [call(["question: a_1"])]);
  const never = await readWaits(asking({ ...question, answeredAt: undefined }), [call(["question: a_1"])]);
  for (const waits of [late, never])
    expect(waits.get("c_1")).toMatchObject([{ name: "a person", startedAt: 1100, endedAt: 2000 }]);
});

test("readWaits() passes over answers from before, questions that are gone, and calls that did not wait", async () => {
  const before = call(["question: a_1, answered before"]);
  expect(await readWaits(asking(question), [before])).toEqual(new Map());
  expect(await readWaits(asking(question), [call(["question: a_2"])])).toEqual(new Map());
  expect(await readWaits(asking(question), [call(["question: a_1"], 1100)])).toEqual(new Map());
});
