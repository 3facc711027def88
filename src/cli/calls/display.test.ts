import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import type { ToolResult } from "../../kernel/index.ts";
import { Terminal } from "../terminal.ts";
import { CallDisplay } from "./display.ts";

function done(text: string, notes: readonly string[] = []): ToolResult {
  return { success: true, result: text, text, ...settled, notes };
}

/** A display whose two streams are terminals, or not, and what each was sent. */
function open({ isTTY }: { isTTY: boolean }) {
  const stream = () => Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 40 });
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  const display = new CallDisplay(new Terminal(streams));
  // oxlint-disable-next-line no-control-regex -- colours, which depend on the environment
  const take = (from: PassThrough) => String(from.read() ?? "").replace(/\u001b\[22?m/g, "");
  return { display, out: () => take(streams.stdout), err: () => take(streams.stderr) };
}

test("CallDisplay.finish() prints only what a terminal has not seen as it came", () => {
  const { display, out, err } = open({ isTTY: true });
  display.update({ type: "output", text: "one\n" });
  display.update({ type: "output", text: "two\n" });
  display.finish(done("one\ntwo\n[exit code 1]"));
  expect(err()).toBe("one\ntwo\n");
  expect(out()).toBe("[exit code 1]\n");
});

test("CallDisplay.finish() prints all of a result that differs from what was shown", () => {
  const { display, out } = open({ isTTY: true });
  display.update({ type: "output", text: "mixed" });
  display.finish(done("sorted"));
  expect(out()).toBe("\nsorted\n");
});

test("CallDisplay.finish() repeats nothing of a result whose two streams a terminal showed as they came", () => {
  const { display, out, err } = open({ isTTY: true });
  display.update({ type: "output", text: "why\none\n" });
  display.finish(done("one\n[stderr]\nwhy\n[exit code 1]"));
  expect(err()).toBe("why\none\n");
  expect(out()).toBe("[exit code 1]\n");
});

test.for([true, false])(
  "CallDisplay.finish() shows the output of a failed command once (terminal: %s)",
  (isTTY) => {
    const { display, out, err } = open({ isTTY });
    display.update({ type: "output", text: "one\nwhy\n" });
    display.finish({
      success: false,
      error: '"boom" failed with exit code 3:\none\n[stderr]\nwhy\n[exit code 3]',
      code: "COMMAND_FAILED",
      text: "",
      partial: "one\nwhy\n",
      ...settled,
    });
    const message = 'haft: "boom" failed with exit code 3 [COMMAND_FAILED]\n';
    // oxlint-disable-next-line no-control-regex -- the colour of the label
    expect(err().replace(/\u001b\[\d+m/g, "")).toBe(isTTY ? `one\nwhy\n${message}` : message);
    expect(out()).toBe(isTTY ? "" : "one\nwhy\n");
  },
);

test("CallDisplay keeps partial output from a file and writes the result as it is", () => {
  const { display, out, err } = open({ isTTY: false });
  display.update({ type: "output", text: "one\n" });
  display.update({ type: "progress", progress: 1, total: 2, message: "half" });
  display.finish(done("one\n\u001b[31mred", ['limit: "5" was read as 5']));
  expect(out()).toBe("one\n\u001b[31mred\n");
  expect(err()).toBe('1/2 half\nnote: limit: "5" was read as 5\n');
});

test("CallDisplay shows on a terminal what would steer it", () => {
  const { display, out, err } = open({ isTTY: true });
  display.update({ type: "output", text: "\u001b]0;title\u0007" });
  display.finish(done("safe\u001b[2J\r\nnext"));
  expect(err()).toBe("\\u{1b}]0;title\\u{7}");
  expect(out()).toBe("\nsafe\\u{1b}[2J\nnext\n");
});

test("CallDisplay shows progress on one line of a terminal and clears it", () => {
  const { display, out, err } = open({ isTTY: true });
  display.update({
    type: "progress",
    progress: 3,
    message: "a message that is longer than the line of forty",
  });
  display.finish(done("ok"));
  expect(err()).toBe("\r\u001b[Ka message that is longer than the line…\r\u001b[K");
  expect(out()).toBe("ok\n");
});

test("CallDisplay.finish() breaks JSON into lines on a terminal only", () => {
  const terminal = open({ isTTY: true });
  terminal.display.finish(done('{"a":[1]}'));
  expect(terminal.out()).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  const file = open({ isTTY: false });
  file.display.finish(done('{"a":[1]}'));
  expect(file.out()).toBe('{"a":[1]}\n');
});

test("CallDisplay.finish() says why a call failed, what it had put out, and what may still run", () => {
  const { display, out, err } = open({ isTTY: false });
  display.finish({
    success: false,
    error: "Cannot finish",
    code: "TOOL_TIMEOUT",
    text: "",
    partial: "half a line",
    stillRunning: true,
    artifact: { id: "art_1", chars: 30_000 },
    ...settled,
  });
  expect(out()).toBe("half a line\n");
  expect(err()).toBe(
    "haft: Cannot finish [TOOL_TIMEOUT]\n" +
      "The tool did not stop when it was told to; what it does may still happen\n" +
      "all 30,000 characters: haft call artifact_read --arg id=art_1\n",
  );
});

test("CallDisplay counts only where it is known up to what", () => {
  const { display, err } = open({ isTTY: false });
  display.update({ type: "progress", progress: 3, message: "3 calls: grep" });
  display.update({ type: "progress", progress: 4 });
  display.finish(done("ok"));
  expect(err()).toBe("3 calls: grep\n4\n");
});
