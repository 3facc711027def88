import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../agent/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { Terminal } from "../terminal.ts";
import type { LiveLines } from "./live-lines.ts";
import { RunDisplay } from "./run-display.ts";

/** A display at a terminal of 40 columns, with what it shows at the bottom. */
function openDisplay() {
  const stream = () => Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 40 });
  const [stdout, stderr] = [stream(), stream()];
  const shown: string[][] = [];
  const live: LiveLines = {
    show: (lines) => shown.push(lines.map((line) => stripVTControlCharacters(line))),
    clear: () => shown.push([]),
  };
  const clock = createFakeClock();
  const display = new RunDisplay(new Terminal({ stdin: stream(), stdout, stderr }), live, clock);
  const show = (...events: readonly AgentEvent[]) => events.forEach(display.show);
  const read = (from: PassThrough) => stripVTControlCharacters(String(from.read() ?? ""));
  return { display, clock, show, shown, out: () => read(stdout), err: () => read(stderr) };
}

const begun = [
  { type: "run.began", runId: "r", sessionId: "s" },
  { type: "step.began", step: 1 },
] as const;
const usage = {
  inputTokens: 1000,
  cacheReadTokens: 800,
  cacheWriteTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
};

test("RunDisplay shows the step, what runs, for how long, the cost and the cached share, and cleans up", async () => {
  const { display, clock, show, shown, err } = openDisplay();
  show(...begun);
  expect(shown.at(-1)).toEqual(["step 1 · thinking"]);
  await clock.advance(2000);
  expect(shown.at(-1)).toEqual(["step 1 · thinking · 2 s"]);
  show(
    { type: "answer.ended", step: 1, text: "", usage, cost: 5000 },
    { type: "call.began", callId: "c", name: "bash", input: '{"command":"ls"}' },
  );
  expect(shown.at(-1)).toEqual(["step 1 · bash · $0.0050 · 80 % cached"]);
  display.model = "a-model-with-a-name";
  await clock.advance(11_000);
  expect(shown.at(-1)).toEqual(["step 1 · bash · 11 s · $0.0050"]);
  show({ type: "call.began", callId: "d", name: "a_tool_with_a_name_that_fits_nowhere", input: "{}" });
  expect(shown.at(-1)).toEqual(["step 1 · bash, a_tool_with_a_name_that…"]);
  display.finish({ state: "completed", stop: "end", text: "" }, { resume: "", next: "" });
  expect([shown.at(-1), clock.pending]).toEqual([[], 0]);
  expect(err()).toMatch(/^→ bash ls\n→ a_tool/);
});

test("RunDisplay says that a cost is not known, and never takes it for none", () => {
  const { display, show, shown } = openDisplay();
  show(...begun, { type: "answer.ended", step: 1, text: "", usage });
  expect(shown.at(-1)).toEqual(["step 1 · thinking · 80 % cached"]);
  show({ type: "answer.ended", step: 2, text: "", usage, cost: 200_000 });
  expect(display.describeUsage()).toContain("$0.20 + 1 unpriced");
  display.stop();
});

test("RunDisplay shows the line that is being written above its status, and prints it once", () => {
  const { display, show, shown, out } = openDisplay();
  show(...begun, { type: "answer.text", delta: "Some words, " });
  expect(shown.at(-1)).toEqual(["Some words,", "step 1 · answering"]);
  expect(out()).toBe("");
  show({ type: "answer.ended", step: 1, text: "", usage });
  expect(out()).toBe("Some words,\n");
  display.stop();
});

test("RunDisplay shows no control characters of a tool's name, which a model may make up", () => {
  const { display, show, shown, err } = openDisplay();
  show(...begun, { type: "call.began", callId: "c", name: "a\u0007\u202e\nb", input: "{}" });
  const lines = [...(shown.at(-1) ?? []), ...err().trimEnd().split("\n")];
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  display.stop();
});

test("RunDisplay draws and prints nothing while a question has the terminal", async () => {
  const { display, clock, show, shown, err } = openDisplay();
  show(...begun);
  const { promise, resolve } = Promise.withResolvers<{ approved: false; by: string }>();
  const approver = display.lendTo({ identity: "owner:ada", ask: () => promise });
  const asked = approver.ask({} as Parameters<typeof approver.ask>[0], new AbortController().signal);
  const before = shown.length;
  await clock.advance(3000);
  show({ type: "note", about: "budget run micros", text: "84 % is spent." });
  expect([shown.length, shown.at(-1), err()]).toEqual([before, [], ""]);
  resolve({ approved: false, by: "owner:ada" });
  await asked;
  expect(err()).toBe("(84 % is spent.)\n");
  await clock.advance(1000);
  expect(shown.at(-1)).toEqual(["step 1 · thinking · 4 s"]);
  display.stop();
});

test("RunDisplay says of a note to the model what it is about, or nothing where people see what comes of it", () => {
  const { display, show, err } = openDisplay();
  const note = (about: string, text: string) => show({ type: "note", about, text });
  show(...begun);
  note("memory", "What you remember was changed.");
  note("empty", "Say something.");
  expect(err()).toBe("(the agent is told what has changed in…\n");
  display.stop();
});

test("RunDisplay makes the control characters of a model visible", () => {
  const { display, show, out } = openDisplay();
  show(...begun, { type: "answer.text", delta: "a \u001b]0;title\u0007 b\n" });
  display.stop();
  expect(out()).toBe("a \\u{1b}]0;title\\u{7} b\n");
});
