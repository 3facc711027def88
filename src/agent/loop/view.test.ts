import fc from "fast-check";
import { expect, test } from "vitest";
import { anyContent } from "../../../test/fixtures/agent/any-entries.ts";
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
      if (message.results.some(({ text }) => text.trim() === "")) faults.push("a result is empty");
    }
    if (message.role === "assistant") {
      if (message.parts.every(({ type }) => type === "reasoning")) faults.push("an answer is empty");
      for (const part of message.parts) {
        if (part.type === "text" && part.text.trim() === "") faults.push("a text of an answer is empty");
        if (part.type !== "call") continue;
        if (!/^[\w-]{1,40}$/.test(part.id) || ids.has(part.id)) faults.push(`the id "${part.id}"`);
        if (!/^[\w-]{1,64}$/.test(part.name)) faults.push(`the name "${part.name}"`);
        ids.add(part.id);
      }
    }
  }
  return faults;
}

test("viewEntries() shows a name that a model made up, in its call and in the result, in a form that every API takes", () => {
  const names = (made: string) =>
    viewEntries(
      number(said("x"), answered(1, "", [made]), { ...resulted("r.1.1"), name: made } as EntryContent),
    ).flatMap((message) => {
      if (message.role === "user") return [];
      return (message.role === "tool" ? message.results : message.parts).map(
        (part) => "name" in part && part.name,
      );
    });
  expect(names("read_file")).toEqual(["read_file", "read_file"]);
  expect(names("browser.tabs.open")).toEqual(["browser_tabs_open", "browser_tabs_open"]);
  expect(names("")).toEqual(["_", "_"]);
  expect(names("x".repeat(70))).toEqual(["x".repeat(64), "x".repeat(64)]);
});

test("viewEntries() gives messages that every API takes, for any list of entries", () => {
  fc.assert(
    fc.property(fc.array(anyContent, { maxLength: 12 }), (contents) => {
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
