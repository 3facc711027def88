import { expect, test } from "vitest";
import type { Approval, ApprovalAnswer } from "../../kernel/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { WorkTime } from "./work-time.ts";

const minute = 60_000;

/** A question; what is asked makes no difference here. */
const question: Approval = {
  id: "a_1",
  callId: "run_1.1.1",
  toolName: "write",
  toolTitle: "Write a file",
  toolVersion: "1",
  params: {},
  effects: [],
  folder: undefined,
  reason: "no rule allows it",
  offers: [],
  scope: "local",
  agentId: "main",
  userId: undefined,
  origin: { channel: "agent" },
  project: undefined,
  approvers: ["owner:*"],
  createdAt: 0,
  waitsUntil: undefined,
  expiresAt: 1,
};

/** An approver that answers when it is told to. */
function open() {
  const clock = createFakeClock(0);
  const work = new WorkTime(clock);
  const answers: PromiseWithResolvers<ApprovalAnswer>[] = [];
  const approver = work.exclude({
    identity: "owner:ada",
    ask: () => {
      const answer = Promise.withResolvers<ApprovalAnswer>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const ask = () => approver.ask(question, new AbortController().signal);
  return { clock, work, answers, ask, identity: approver.identity };
}

test("the time in which a person is asked is no work, while they are asked and after", async () => {
  const { clock, work, answers, ask, identity } = open();
  expect(identity).toBe("owner:ada");
  await clock.advance(10 * minute);
  const [first, second] = [ask(), ask()];
  await clock.advance(60 * minute);
  answers[0]?.resolve({ approved: true, by: "owner:ada" });
  expect(await first).toEqual({ approved: true, by: "owner:ada" });
  await clock.advance(60 * minute);
  expect(work.ms).toBe(10 * minute);
  answers[1]?.reject(new Error("left"));
  await expect(second).rejects.toThrow("left");
  await clock.advance(15 * minute);
  expect(work.ms).toBe(25 * minute);
});
