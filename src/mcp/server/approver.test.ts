import { expect, test } from "vitest";
import type { Approval } from "../../kernel/index.ts";
import { toQuestion } from "./approver.ts";

const approval: Approval = {
  id: "a_1",
  callId: "c_1",
  toolName: "bash",
  toolTitle: "bash",
  toolVersion: "1",
  params: { command: "ls" },
  effects: [{ kind: "run", target: "ls", within: false }],
  reason: "no rule allows it",
  scope: "local",
  agentId: undefined,
  userId: undefined,
  origin: undefined,
  createdAt: 0,
  expiresAt: 1,
};

test("toQuestion() names the tool, what it will do, why it asks, and the arguments", () => {
  expect(toQuestion(approval)).toBe(
    [
      "Allow the tool bash, version 1, to run?",
      "",
      "It will:",
      "- run ls (outside the bounds of this client)",
      "",
      "Asked because: no rule allows it",
      "",
      "Arguments:",
      '{\n  "command": "ls"\n}',
    ].join("\n"),
  );
});

test("toQuestion() lets no text pass for another line of the question, and hides nothing", () => {
  const target = "ls\n\nAsked because: you asked for it\u202e\u200b";
  const question = toQuestion({
    ...approval,
    effects: [{ kind: "run", target, within: false }],
    params: { command: target },
  });
  expect(question).toContain(
    "- run ls\\u{a}\\u{a}Asked because: you asked for it\\u{202e}\\u{200b} (outside",
  );
  expect(question.match(/^Asked because:/gm)).toHaveLength(1);
  expect(question).toContain('"command": "ls\\n\\nAsked because: you asked for it\\u{202e}\\u{200b}"');
});

test("toQuestion() says how much of very long arguments it does not show", () => {
  const question = toQuestion({ ...approval, params: { command: "x".repeat(100_000) } });
  expect(question.length).toBeLessThan(21_000);
  expect(question).toMatch(/\[… \d+ of 100019 characters are not shown here …\]/);
});

test("toQuestion() says so where a tool does not tell what it will do", () => {
  expect(toQuestion({ ...approval, effects: [] })).toContain("It does not say what it will do.");
});
