import { expect, test } from "vitest";
import {
  answered,
  interrupted,
  noted,
  number,
  parked,
  resulted,
  said,
} from "../../../test/fixtures/agent/entries.ts";
import type { EntryContent, InboxOrder, WaitingMessage } from "../../modules/sessions/index.ts";
import { type LoopFacts, nextAction } from "./next-action.ts";

const facts: Omit<LoopFacts, "steps"> = {
  runId: "r",
  maxSteps: 3,
  inbox: [],
  isTooLarge: false,
  mayRepeat: (name) => name === "sleep",
};

function wait(how: InboxOrder): WaitingMessage {
  return { id: how, sender: "ada", parts: [{ type: "text", text: how }], how, trust: "trusted", at: 1 };
}

const same = (count: number, calls: readonly string[]): EntryContent[] =>
  Array.from({ length: count }).flatMap((_, at) => [
    answered(at + 1, "", calls),
    ...calls.map((_, place) => resulted(`r.${at + 1}.${place + 1}`, `output ${at}`)),
  ]);

interface Row {
  readonly name: string;
  readonly entries: readonly (EntryContent & { readonly runId?: string })[];
  readonly with?: Partial<LoopFacts>;
  readonly next: object;
}

const ask = { do: "ask-model", mayCall: true };
const rows: Row[] = [
  { name: "asks the model what a user wrote", entries: [said("Hello")], next: ask },
  {
    name: "makes the calls of an answer that have no result, under ids that were known before",
    entries: [said("x"), answered(1, "", ["a", "b", "c"]), resulted("r.1.2")],
    next: {
      do: "run-calls",
      calls: [
        { callId: "r.1.1", name: "a", input: "{}" },
        { callId: "r.1.3", name: "c", input: "{}" },
      ],
    },
  },
  {
    name: "asks again once all calls have results",
    entries: [said("x"), answered(1, "", ["a"]), resulted("r.1.1")],
    next: ask,
  },
  {
    name: "makes no call of an answer that was cut off",
    entries: [said("x"), answered(1, "I will", [["a", '{"p": "x']], "length")],
    next: { do: "skip-calls", text: expect.stringContaining("cut off") },
  },
  {
    name: "makes no call after an interruption, and says by whom",
    entries: [said("x"), answered(1, "", ["a"]), interrupted("the schedule s_1")],
    next: { do: "skip-calls", text: "Not run: you were interrupted by the schedule s_1." },
  },
  {
    name: "makes the calls that wait for nothing before it parks",
    entries: [said("x"), answered(1, "", ["a", "b"]), parked("r.1.1", "approval:q_1")],
    next: { do: "run-calls", calls: [{ callId: "r.1.2", name: "b", input: "{}" }] },
  },
  {
    name: "parks once all calls without a result wait, with all that they wait for",
    entries: [
      said("x"),
      answered(1, "", ["a", "b", "c"]),
      parked("r.1.1", "approval:q_1"),
      resulted("r.1.2"),
      parked("r.1.3", "approval:q_2"),
    ],
    with: { inbox: [wait("steer")] },
    next: { do: "park", waitFor: ["approval:q_1", "approval:q_2"] },
  },
  {
    name: "parks for what a call waited for last",
    entries: [
      said("x"),
      answered(1, "", ["a"]),
      parked("r.1.1", "approval:q_1"),
      parked("r.1.1", "approval:q_2"),
    ],
    next: { do: "park", waitFor: ["approval:q_2"] },
  },
  {
    name: "goes on once a call that waited has its result",
    entries: [said("x"), answered(1, "", ["a"]), parked("r.1.1", "approval:q_1"), resulted("r.1.1")],
    next: ask,
  },
  {
    name: "asks the model again after the run has waited for it",
    entries: [said("x"), answered(1, "", ["a"]), resulted("r.1.1"), parked(undefined, "time:5")],
    next: ask,
  },
  {
    name: "makes no call that waited once it is interrupted",
    entries: [said("x"), answered(1, "", ["a"]), parked("r.1.1", "approval:q_1"), interrupted("ada")],
    next: { do: "skip-calls", text: "Not run: you were interrupted by ada." },
  },
  {
    name: "ends where it was interrupted and nobody wrote anything since",
    entries: [said("x"), answered(1, "", ["a"]), interrupted("ada"), resulted("r.1.1")],
    next: { do: "end", stop: "interrupted" },
  },
  {
    name: "ends a run that was interrupted before its first answer",
    entries: [said("x"), interrupted("ada")],
    next: { do: "end", stop: "interrupted", text: "" },
  },
  {
    name: "reads what was written with the interruption, and goes on",
    entries: [said("x"), answered(1, "", ["a"]), interrupted("ada"), resulted("r.1.1")],
    with: { inbox: [wait("interrupt")] },
    next: { do: "take-in", messages: [wait("interrupt")] },
  },
  {
    name: "goes on after an interruption that somebody wrote something after",
    entries: [said("x"), interrupted("ada"), said("Do that instead")],
    next: ask,
  },
  {
    name: "takes in what is to steer at the border of steps, not between a call and its result",
    entries: [said("x"), answered(1, "", ["a"])],
    with: { inbox: [wait("steer")] },
    next: { do: "run-calls" },
  },
  {
    name: "takes in what is to steer before it asks again, and leaves what is queued",
    entries: [said("x"), answered(1, "", ["a"]), resulted("r.1.1")],
    with: { inbox: [wait("queue"), wait("steer")] },
    next: { do: "take-in", messages: [wait("steer")] },
  },
  {
    name: "takes in what is queued once there is an answer",
    entries: [said("x"), answered(1, "Done.")],
    with: { inbox: [wait("queue")] },
    next: { do: "take-in", messages: [wait("queue")] },
  },
  {
    name: "ends with an answer that calls nothing",
    entries: [said("x"), answered(1, "Done.")],
    next: { do: "end", stop: "end", text: "Done." },
  },
  {
    name: "ends with an answer that was cut off and calls nothing, and says so",
    entries: [said("x"), answered(1, "Once upon", [], "length")],
    next: { do: "end", stop: "length", text: "Once upon" },
  },
  {
    name: "ends where the provider refuses",
    entries: [said("x"), answered(1, "", [], "refused")],
    next: { do: "end", stop: "refused" },
  },
  {
    name: "asks for an answer once, where there was none",
    entries: [said("x"), answered(1, " \n")],
    next: { do: "tell", about: "empty" },
  },
  { name: "asks after that", entries: [said("x"), answered(1, ""), noted("empty")], next: ask },
  {
    name: "ends where there was none again",
    entries: [said("x"), answered(1, ""), noted("empty"), answered(2, "")],
    next: { do: "end", stop: "empty", text: "" },
  },
  {
    name: "tells the model of the limit of steps",
    entries: [said("x"), ...same(3, ["a"]).map((entry, at) => (at === 0 ? answered(1, "", ["z"]) : entry))],
    next: { do: "tell", about: "steps" },
  },
  {
    name: "asks for a last answer without calls at the limit",
    entries: [said("x"), ...same(3, ["a"]), noted("steps")],
    next: { do: "ask-model", mayCall: false },
  },
  {
    name: "pauses after the last answer",
    entries: [said("x"), ...same(3, ["a"]), noted("steps"), answered(4, "Half of it is done.")],
    next: { do: "pause", why: "steps" },
  },
  {
    name: "makes no calls of the last answer",
    entries: [said("x"), ...same(3, ["a"]), noted("steps"), answered(4, "", ["b"])],
    next: { do: "skip-calls", text: "Not run: the limit of steps is reached." },
  },
  {
    name: "pauses after a last answer that called something",
    entries: [said("x"), ...same(3, ["a"]), noted("steps"), answered(4, "", ["b"]), resulted("r.4.1")],
    next: { do: "pause", why: "steps" },
  },
  {
    name: "goes on where somebody lets it, with more steps",
    entries: [said("x"), ...same(3, ["a"]), noted("steps"), answered(4, "Half."), noted("resumed")],
    with: { maxSteps: 10 },
    next: ask,
  },
  {
    name: "does not count the steps of other runs",
    entries: [
      { ...said("x"), runId: "q" },
      ...[1, 2, 3].map((step) => ({ ...answered(step, "Done."), runId: "q" })),
      said("y"),
    ],
    next: ask,
  },
  {
    name: "tells the model that it repeats itself, whatever the calls give",
    entries: [said("x"), ...same(3, ["a"])],
    with: { maxSteps: 10 },
    next: { do: "tell", about: "repetition" },
  },
  {
    name: "sees the repetition of two calls in turn",
    entries: [
      said("x"),
      ...[1, 3, 5].flatMap((step) => [
        answered(step, "", ["a"]),
        resulted(`r.${step}.1`),
        answered(step + 1, "", ["b"]),
        resulted(`r.${step + 1}.1`),
      ]),
    ],
    with: { maxSteps: 10 },
    next: { do: "tell", about: "repetition" },
  },
  {
    name: "sees no repetition in equal calls of other arguments",
    entries: [
      said("x"),
      ...[1, 2, 3].flatMap((step) => [answered(step, "", [["a", `{"n":${step}}`]]), resulted(`r.${step}.1`)]),
    ],
    with: { maxSteps: 10 },
    next: ask,
  },
  {
    name: "sees a repetition where the same arguments are written in another order",
    entries: [
      said("x"),
      ...['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }'].flatMap((input, at) => [
        answered(at + 1, "", [["a", input]]),
        resulted(`r.${at + 1}.1`),
      ]),
    ],
    with: { maxSteps: 10 },
    next: { do: "tell", about: "repetition" },
  },
  {
    name: "sees no repetition in tools that wait",
    entries: [said("x"), ...same(5, ["sleep"])],
    with: { maxSteps: 10 },
    next: ask,
  },
  {
    name: "pauses where the model goes on repeating itself",
    entries: [said("x"), ...same(3, ["a"]), noted("repetition"), ...same(5, ["a"]).slice(6)],
    with: { maxSteps: 10 },
    next: { do: "pause", why: "repetition" },
  },
  {
    name: "counts anew once somebody lets it go on",
    entries: [said("x"), ...same(5, ["a"]), noted("resumed")],
    with: { maxSteps: 10 },
    next: ask,
  },
  {
    name: "makes room before it asks",
    entries: [said("x")],
    with: { isTooLarge: true },
    next: { do: "compact" },
  },
  {
    name: "makes no room for an answer that stands",
    entries: [said("x"), answered(1, "Done.")],
    with: { isTooLarge: true },
    next: { do: "end", stop: "end" },
  },
];

const repeated: readonly Row["entries"][number][] = [
  { ...said("When?"), runId: "p1" },
  { ...answered(1, "I can't."), runId: "p1" },
  { ...said("And why?"), runId: "p2" },
  { ...answered(1, "I can't."), runId: "p2" },
  { ...said("Try it."), runId: "p3" },
  { ...answered(1, "I can't."), runId: "p3" },
  said("Once more."),
];
const spoken = { text: "Hello." };
rows.push(
  {
    name: "tells the model that it answered the same three times, whatever was asked",
    entries: repeated,
    next: { do: "tell", about: "answers" },
  },
  { name: "tells it once", entries: [...repeated, noted("answers")], next: ask },
  {
    name: "takes the same answer to the same message for what it is",
    entries: repeated.map((entry) => (entry.kind === "user" ? { ...entry, ...said("Ping") } : entry)),
    next: ask,
  },
  {
    name: "ends with what was replied, where only that is shown",
    entries: [
      said("x"),
      answered(1, "", [["reply", JSON.stringify(spoken)]]),
      resulted("r.1.1"),
      answered(2, "I have said it."),
    ],
    with: { speaks: "reply" },
    next: { do: "end", stop: "end", text: "Hello.", isSaid: true },
  },
  {
    name: "knows a reply that was made through call_tool, and ends though the last answer is empty",
    entries: [
      said("x"),
      answered(1, "", [["call_tool", JSON.stringify({ name: "reply", arguments: spoken })]]),
      resulted("r.1.1"),
      answered(2, ""),
    ],
    with: { speaks: "reply" },
    next: { do: "end", stop: "end", text: "Hello.", isSaid: true },
  },
  {
    name: "nudges an agent whose answer nobody has seen",
    entries: [said("x"), answered(1, "Hello.")],
    with: { speaks: "reply" },
    next: { do: "tell", about: "reply" },
  },
  {
    name: "nudges it again where somebody has said something since its reply",
    entries: [
      said("x"),
      answered(1, "", [["reply", JSON.stringify(spoken)]]),
      resulted("r.1.1"),
      said("and y"),
      answered(2, "That too."),
    ],
    with: { speaks: "reply" },
    next: { do: "tell", about: "reply" },
  },
  {
    name: "gives the text of an agent that has been nudged once",
    entries: [said("x"), answered(1, "Hello."), noted("reply"), answered(2, "Hello again.")],
    with: { speaks: "reply" },
    next: { do: "end", stop: "end", text: "Hello again." },
  },
);

test.for(rows)("nextAction() $name", ({ entries, with: other, next }) => {
  const steps = entries.filter(({ kind, runId = "r" }) => kind === "answer" && runId === "r").length;
  expect(nextAction(number(...entries), { ...facts, steps, ...other })).toMatchObject(next);
});
