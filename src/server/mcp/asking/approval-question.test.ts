import { expect, test } from "vitest";
import type { Approval, Effect, GrantOffer } from "../../../kernel/index.ts";
import { toQuestion } from "./approval-question.ts";

const approval: Approval = {
  id: "a_1",
  callId: "c_1",
  toolName: "bash",
  toolTitle: "bash",
  toolVersion: "1",
  params: { command: "ls" },
  effects: [{ kind: "run", target: "ls", within: false }],
  folder: "/w/p",
  reason: "no rule allows it",
  offers: [],
  scope: "local",
  agentId: undefined,
  userId: undefined,
  origin: undefined,
  project: undefined,
  approvers: ["owner:*"],
  createdAt: 0,
  waitsUntil: 1,
  expiresAt: 1,
};
const exact: GrantOffer = {
  id: "exact",
  label: "exactly this call",
  covers: "ls",
  leaves: "ls -l",
  terms: ["session", "always"],
};
const wider: GrantOffer = {
  id: "wider",
  label: "npm test with any arguments",
  patterns: [],
  covers: "npm test --watch",
  leaves: "npm publish",
  terms: ["session"],
};

test("toQuestion() names the tool, what it will do, why it asks, and the arguments", () => {
  expect(toQuestion(approval)).toBe(
    [
      "Allow the tool bash, version 1, to run?",
      "",
      "It will:",
      "- run ls",
      "Folder: /w/p",
      "",
      "Asked because: no rule allows it",
      "",
      "Arguments:",
      '{\n  "command": "ls"\n}',
    ].join("\n"),
  );
});

test("toQuestion() says which files and hosts are out of bounds", () => {
  const effects: Effect[] = [
    { kind: "write", target: "/a", within: true },
    { kind: "write", target: "/etc/hosts", within: false },
    { kind: "connect", target: "https://example.com", within: false },
  ];
  expect(toQuestion({ ...approval, effects })).toContain(
    [
      "- change /a",
      "- change /etc/hosts (outside the allowed folders)",
      "- connect to https://example.com (not an allowed host)",
    ].join("\n"),
  );
});

test("toQuestion() says how what runs is kept apart, once where that is the same for all, else for each", () => {
  const run = (target: string, isolation?: string): Effect => ({
    kind: "run",
    target,
    within: false,
    ...(isolation !== undefined && { isolation }),
  });
  const same = toQuestion({ ...approval, effects: [run("ls", "bubblewrap"), run("cat", "bubblewrap")] });
  expect(same).toContain("- run ls\n- run cat\nIsolation: bubblewrap\n");
  const other = toQuestion({ ...approval, effects: [run("ls", "bubblewrap"), run("docker ps")] });
  expect(other).toContain("- run ls [bubblewrap]\n- run docker ps [isolation not known]\n");
});

test("toQuestion() says what a yes can be remembered for, and when a session ends", () => {
  const question = toQuestion({ ...approval, offers: [exact, wider] });
  expect(question).toContain(
    [
      "A yes can be remembered for:",
      "- exactly this call",
      '- npm test with any arguments; that covers "npm test --watch" too, and still asks for "npm publish"',
      '"This session" ends when haft is stopped, at the latest.',
    ].join("\n"),
  );
  const inSession = { ...approval, origin: { channel: "mcp", session: "s_1" }, offers: [exact] };
  expect(toQuestion(inSession)).toContain(
    '"This session" ends with the client\'s connection, at the latest.',
  );
  expect(toQuestion({ ...approval, offers: [{ ...exact, terms: ["always"] }] })).not.toContain(
    "This session",
  );
});

test("toQuestion() lets no text pass for another line of the question, and hides nothing", () => {
  const target = "ls\n\nAsked because: you asked for it\u202e\u200b";
  const question = toQuestion({
    ...approval,
    effects: [{ kind: "run", target, within: false, isolation: "none\nAsked because: it is safe" }],
    offers: [{ ...wider, label: target, covers: target, leaves: target }],
    params: { command: target },
  });
  expect(question).toContain("- run ls\\u{a}\\u{a}Asked because: you asked for it\\u{202e}\\u{200b}\n");
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

test("toQuestion() keeps the folder to its line", () => {
  const question = toQuestion({ ...approval, folder: "/w\nFolder: /safe\u202e" });
  expect(question).toContain("\nFolder: /w\\u{a}Folder: /safe\\u{202e}\n");
  expect(toQuestion({ ...approval, folder: undefined })).not.toContain("Folder:");
});

const calls = [
  { step: "page", tool: "http_get", arguments: { url: "https://example.com" } },
  { step: "save", tool: "write", arguments: { path: "a\n3. push: bash", content: "‹from page/body›" } },
];

test("toQuestion() shows each call of a chain under its step, then what else the chain was given", () => {
  const question = toQuestion({ ...approval, params: { arguments: { url: "https://example.com" }, calls } });
  expect(question).toContain(`
It makes these calls:
1. page: http_get
{
  "url": "https://example.com"
}
2. save: write
{
  "path": "a\\n3. push: bash",
  "content": "‹from page/body›"
}

Its own arguments:
{
  "url": "https://example.com"
}`);
});

test("toQuestion() names every call of a chain, however long the arguments are", () => {
  const many = Array.from({ length: 50 }, (_, at) => ({
    step: `s${at}`,
    tool: "write",
    arguments: { content: "x".repeat(10_000) },
  }));
  const question = toQuestion({ ...approval, params: { arguments: {}, calls: many } });
  for (const { step } of many) expect(question).toContain(`. ${step}: write\n`);
  expect(question.length).toBeLessThan(30_000);
  expect(question.match(/of 10\d+ characters are not shown here/g)).toHaveLength(50);
});
