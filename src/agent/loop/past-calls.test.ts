import { expect, test } from "vitest";
import { answered, number, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { type PastCall, type PastOutcome, settleCall } from "./past-calls.ts";

const call = { callId: "r.1.1", name: "send", input: "{}" };
const never = new AbortController().signal;
const outcome: PastOutcome = {
  text: "sent",
  failed: false,
  code: undefined,
  artifactId: "a_1",
  notes: ["limit: 7 taken"],
  trust: "untrusted",
  private: true,
  hosts: ["mail.example"],
};

function settle(
  known: Readonly<Record<string, PastCall>>,
  more: { readonly parked?: number; readonly patience?: AbortSignal } = {},
): ReturnType<typeof settleCall> {
  const entries: Entry[] = number(
    said("x"),
    answered(1, "", ["send"]),
    ...Array.from({ length: more.parked ?? 0 }, () => ({
      kind: "parked" as const,
      callId: "r.1.1",
      waitFor: "approval:a",
    })),
  );
  return settleCall(call, {
    mayPark: false,
    history: {
      find: async (id) => known[id],
      verify: (tool) => (tool === "send" ? "list what was sent" : undefined),
    },
    entries,
    clock: createFakeClock(),
    signal: never,
    patience: more.patience ?? never,
  });
}

const unknown = (isRepeatable: boolean): PastCall => ({ state: "unknown", isRepeatable, startedAt: 1000 });

test("settleCall() makes a call that was never begun, under its own id", async () => {
  expect(await settle({})).toEqual({ do: "make", callId: "r.1.1" });
});

test("settleCall() takes over the outcome of a call that ended, and makes nothing", async () => {
  expect(await settle({ "r.1.1": { state: "ended", outcome } })).toEqual({
    do: "take",
    entry: {
      kind: "result",
      callId: "r.1.1",
      name: "send",
      text: "(limit: 7 taken)\nsent",
      failed: false,
      artifactId: "a_1",
      hosts: ["mail.example"],
      trust: "untrusted",
      private: true,
    },
  });
});

test("settleCall() makes a harmless call again whose process died, under another id, as often as that is so", async () => {
  expect(await settle({ "r.1.1": unknown(true) })).toEqual({ do: "make", callId: "r.1.1~2" });
  expect(await settle({ "r.1.1": unknown(true), "r.1.1~2": unknown(true) })).toEqual({
    do: "make",
    callId: "r.1.1~3",
  });
  expect(await settle({ "r.1.1": unknown(true), "r.1.1~2": { state: "ended", outcome } })).toMatchObject({
    do: "take",
    entry: { callId: "r.1.1" },
  });
});

test("settleCall() does not repeat what may have happened, and says where to look", async () => {
  expect(await settle({ "r.1.1": unknown(false) })).toMatchObject({
    do: "take",
    entry: {
      failed: true,
      code: "TOOL_UNKNOWN",
      text: "Nobody knows whether this happened: the program that did it died after 1970-01-01T00:00:01.000Z. Look before you do it again: list what was sent",
    },
  });
});

test("settleCall() makes a call that waited for an answer once more", async () => {
  const asked: PastCall = { state: "ended", outcome: { ...outcome, failed: true, code: "TOOL_PERMISSION" } };
  expect(await settle({ "r.1.1": asked }, { parked: 1 })).toEqual({ do: "make", callId: "r.1.1~2" });
});

test("settleCall() waits for another process that makes the call, until it is told not to", async () => {
  const running: PastCall = { state: "running" };
  expect(await settle({ "r.1.1": running }, { patience: AbortSignal.abort() })).toMatchObject({
    do: "take",
    entry: { code: "TOOL_UNKNOWN", text: expect.stringContaining("another program") },
  });
  const clock = createFakeClock();
  let looks = 0;
  const settled = settleCall(call, {
    mayPark: false,
    history: { find: async () => (++looks < 3 ? running : { state: "ended", outcome }) },
    entries: [],
    clock,
    signal: never,
    patience: never,
  });
  await clock.advance(1000);
  expect(await settled).toMatchObject({ do: "take", entry: { failed: false } });
  expect(looks).toBe(3);
});
