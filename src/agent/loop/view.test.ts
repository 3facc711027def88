import fc from "fast-check";
import { expect, test } from "vitest";
import { answered, noted, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import type { ChatMessage } from "../../model/index.ts";
import type { Entry, EntryContent } from "../../modules/sessions/index.ts";
import { viewEntries } from "./view.ts";

test("viewEntries() shows results behind their answer, in the order of the calls, and what was said meanwhile after them", () => {
  const entries = number(
    said("List both."),
    answered(1, "I look.", ["glob", "grep"]),
    resulted("r.1.2", "two"),
    noted("time"),
    resulted("r.1.1", "one"),
  );
  expect(viewEntries(entries)).toEqual([
    { role: "user", parts: [{ type: "text", text: "List both." }] },
    {
      role: "assistant",
      parts: [
        { type: "text", text: "I look." },
        { type: "call", id: "m1_0", name: "glob", input: "{}" },
        { type: "call", id: "m1_1", name: "grep", input: "{}" },
      ],
    },
    {
      role: "tool",
      results: [
        { callId: "m1_0", name: "glob", text: "one", failed: false },
        { callId: "m1_1", name: "grep", text: "two", failed: false },
      ],
    },
    { role: "user", parts: [{ type: "text", text: '<note about="time">\ntime\n</note>' }] },
  ]);
});

test("viewEntries() gives calls whose ids are empty or used twice ids of its own", () => {
  const call = (id: string) => ({ type: "call" as const, id, name: "t", input: "{}" });
  const answer = (step: number, ...ids: string[]): EntryContent => ({
    kind: "answer",
    step,
    model: "m",
    stop: "calls",
    message: { role: "assistant", parts: ids.map(call) },
  });
  const entries = number(
    said("x"),
    answer(1, "", "", "call_0"),
    resulted("r.1.1"),
    resulted("r.1.2"),
    resulted("r.1.3"),
    answer(2, "call_0"),
    resulted("r.2.1"),
  );
  const ids = viewEntries(entries).flatMap((message) =>
    message.role === "tool" ? message.results.map(({ callId }) => callId) : [],
  );
  expect(ids).toEqual(["c00002001", "c00002002", "call_0", "c00006001"]);
});

const texts = fc.constantFrom("", " ", "a", "b c", "\n");
const inputs = fc.constantFrom("{}", "", '{"p": "x', "null");
const content: fc.Arbitrary<EntryContent & { runId: string }> = fc
  .record({
    entry: fc.oneof(
      fc.record({
        kind: fc.constant("user" as const),
        parts: fc.array(
          fc.oneof(
            fc.record({ type: fc.constant("text" as const), text: texts }),
            fc.constant({ type: "image" as const, mimeType: "image/png", data: "" }),
          ),
          { maxLength: 2 },
        ),
      }),
      fc.record({
        kind: fc.constant("answer" as const),
        step: fc.integer({ min: 1, max: 4 }),
        model: fc.constant("m"),
        stop: fc.constantFrom("end" as const, "calls" as const, "length" as const, "refused" as const),
        message: fc.record({
          role: fc.constant("assistant" as const),
          parts: fc.array(
            fc.oneof(
              fc.record({ type: fc.constant("text" as const), text: texts }),
              fc.record({ type: fc.constant("reasoning" as const), text: texts }),
              fc.record({
                type: fc.constant("call" as const),
                id: fc.constantFrom("", "c1", "c00001001", "ä", "x".repeat(65)),
                name: fc.constant("t"),
                input: inputs,
              }),
            ),
            { maxLength: 4 },
          ),
        }),
      }),
      fc.record({
        kind: fc.constant("result" as const),
        callId: fc.constantFrom("r.1.1", "r.1.2", "r.2.1", "q.1.1"),
        name: fc.constant("t"),
        text: texts,
        failed: fc.boolean(),
      }),
      fc.record({ kind: fc.constant("note" as const), about: fc.constant("time"), text: texts }),
      fc.record({
        kind: fc.constant("summary" as const),
        text: texts,
        keptFrom: fc.constant(1),
        attempt: fc.constant(1),
      }),
      fc.record({ kind: fc.constant("prune" as const), before: fc.integer({ min: 0, max: 12 }) }),
      fc.record({
        kind: fc.constant("parked" as const),
        callId: fc.constant("r.1.1"),
        waitFor: fc.constant("approval:a"),
      }),
      fc.record({ kind: fc.constant("interrupt" as const), sender: fc.constant("ada") }),
    ),
    runId: fc.constantFrom("r", "q"),
  })
  .map(({ entry, runId }) => ({ ...entry, runId }));

/** What the APIs of models refuse, in words. */
function findFaults(messages: readonly ChatMessage[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  if (messages[0]?.role !== "user") faults.push("the first message is not the user's");
  if (messages.at(-1)?.role === "assistant") faults.push("the last message is the model's");
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    if (before?.role === message.role) faults.push(`two messages of ${message.role} in a row`);
    if (message.role === "user") {
      if (message.parts.length === 0) faults.push("a message of the user's is empty");
      if (message.parts.some((part) => part.type === "text" && part.text.trim() === ""))
        faults.push("a text is empty");
      if (before?.role === "assistant" && before.parts.some(({ type }) => type === "call"))
        faults.push("calls are not followed by their results");
    }
    if (message.role === "tool") {
      const calls = before?.role === "assistant" ? before.parts.filter((part) => part.type === "call") : [];
      if (calls.map(({ id }) => id).join() !== message.results.map(({ callId }) => callId).join())
        faults.push("results are not those of the calls before");
      if (message.results.some(({ text }) => text === "")) faults.push("a result is empty");
    }
    if (message.role === "assistant") {
      if (message.parts.every(({ type }) => type === "reasoning")) faults.push("an answer is empty");
      for (const part of message.parts) {
        if (part.type === "text" && part.text.trim() === "") faults.push("a text of an answer is empty");
        if (part.type !== "call") continue;
        if (!/^[\w-]{1,64}$/.test(part.id) || ids.has(part.id)) faults.push(`the id "${part.id}"`);
        ids.add(part.id);
      }
    }
  }
  return faults;
}

test("viewEntries() gives messages that every API takes, for any list of entries", () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 12 }), (contents) => {
      expect(findFaults(viewEntries(number(...contents)))).toEqual([]);
    }),
    { numRuns: 20_000 },
  );
});

test("viewEntries() keeps the beginning of a request to the byte while entries are appended", () => {
  const entries: Entry[] = number(
    said("x"),
    ...Array.from({ length: 30 }).flatMap((_, at) => [
      answered(at + 1, `step ${at}`, ["a", "b"]),
      resulted(`r.${at + 1}.1`),
      resulted(`r.${at + 1}.2`),
      ...(at % 3 === 0 ? [noted("time")] : []),
      ...(at % 7 === 0 ? [said("more")] : []),
    ]),
  );
  let before: readonly ChatMessage[] = [];
  for (const [at, { kind }] of entries.entries()) {
    // A request is made once all calls have results.
    if (entries[at + 1]?.kind !== "answer" || kind === "answer") continue;
    const now = viewEntries(entries.slice(0, at + 1));
    expect(JSON.stringify(now.slice(0, before.length))).toBe(JSON.stringify(before));
    before = now;
  }
  expect(before.length).toBeGreaterThan(50);
});
