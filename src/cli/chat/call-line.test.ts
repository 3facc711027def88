import { expect, test } from "vitest";
import type { ResultEntry } from "../../modules/sessions/index.ts";
import { describeCall, describeCallEnd } from "./call-line.ts";

function result(part: Partial<ResultEntry>): ResultEntry {
  return { kind: "result", callId: "r.1.1", name: "bash", text: "", failed: false, ...part };
}

test("describeCall() shows the only text among the arguments as it is, and anything else as JSON", () => {
  expect(describeCall("bash", '{"command":"npm test"}')).toBe("→ bash npm test");
  expect(describeCall("read", '{"path":"a","offset":2}')).toBe('→ read {"path":"a","offset":2}');
  expect(describeCall("current_time", "{}")).toBe("→ current_time");
  expect(describeCall("bash", '{"command":')).toBe('→ bash {"command":');
});

test("describeCallEnd() marks a command as failed that left with another code than 0", () => {
  expect(describeCallEnd(result({ text: "2 tests failed\n[exit code 1]", exitCode: 1 }))).toEqual({
    line: "✗ bash (exit code 1): 2 tests failed",
    failed: true,
  });
  expect(describeCallEnd(result({ text: "fine", exitCode: 0 }))).toEqual({
    line: "✓ bash: fine",
    failed: false,
  });
  expect(describeCallEnd(result({ text: "no", failed: true })).line).toBe("✗ bash: no");
});

test("describeCallEnd() leaves out what is meant for the model: notes, and how the rest is read", () => {
  const note = "(command: it was repaired)\n";
  const cut =
    'a\n[… 9,000 of 30,000 characters left out here; read them with artifact_read {"id":"x","offset":5}, or find a part with artifact_search …]\nb';
  expect(describeCallEnd(result({ text: note + cut, notesLength: note.length })).line).toBe(
    "✓ bash: a [… 9,000 of 30,000 characters are not shown …] b",
  );
  // What only looks like a note is the result.
  expect(describeCallEnd(result({ text: "(a)\nb" })).line).toBe("✓ bash: (a) b");
});
