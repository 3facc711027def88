import { expect, test } from "vitest";
import type { Approval, Effect } from "../../kernel/index.ts";
import { describeAsker, describeStanding, renderApproval } from "./approval.ts";

const approval: Approval = {
  id: "a_1",
  callId: "c_1",
  toolName: "bash",
  toolTitle: "bash",
  toolVersion: "1",
  params: { command: "rm -rf build", timeout: 5000 },
  effects: [{ kind: "run", target: "rm -rf build", within: false }],
  folder: "/w/p",
  reason: "no rule allows it",
  scope: "local",
  agentId: undefined,
  userId: undefined,
  origin: undefined,
  project: undefined,
  offers: [],
  approvers: ["owner:*"],
  createdAt: 0,
  waitsUntil: 300_000,
  expiresAt: 300_000,
};
const plain = { width: 80, standing: "it stands", paint: (_paint: unknown, text: string) => text };

test("renderApproval() shows tool, effects, every argument, the reason and the isolation", () => {
  const effects = [
    { ...approval.effects[0], isolation: "none: it runs with your own rights" },
    { kind: "run", target: "ls", within: false, isolation: "none: it runs with your own rights" },
  ] as Effect[];
  expect(renderApproval({ ...approval, effects }, plain)).toBe(
    `
bash asks for your yes

  will       run rm -rf build
             run ls
  with       command: rm -rf build
             timeout: 5000
  in         /w/p
  because    no rule allows it
  isolation  none: it runs with your own rights
  asked by   local
  question   a_1: it stands

`,
  );
});

test("renderApproval() spells out what a terminal would hide or turn around", () => {
  const text = renderApproval(
    {
      ...approval,
      params: { command: "echo ok\u001b[2K\u202e\u200bgnp.exe", "ke\u0007y": 1 },
      effects: [{ kind: "write", target: "/tmp/a\u202eb", within: false }],
    },
    plain,
  );
  expect(text).toContain("command: echo ok\\u{1b}[2K\\u{202e}\\u{200b}gnp.exe");
  expect(text).toContain("ke\\u{7}y: 1");
  expect(text).toContain("change /tmp/a\\u{202e}b  (outside the allowed folders)");
  // oxlint-disable-next-line no-control-regex -- nothing but line breaks may be left
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e\u200b]/);
});

test("renderApproval() shows a command of several lines as one block, without gaps", () => {
  const command = "echo a\n\n\nrm -rf build";
  const text = renderApproval(
    { ...approval, params: { command }, effects: [{ kind: "run", target: command, within: false }] },
    plain,
  );
  const block = ["echo a", "", "", "rm -rf build"].map((line) => `               | ${line}`).join("\n");
  expect(text).toContain(`  will       run:\n${block}\n`);
  expect(text).toContain(`  with       command:\n${block}\n`);
});

test("renderApproval() shows each call of a chain under its step, and steps that it was made of only once", () => {
  const steps = [
    { id: "page", tool: "http_get", arguments: { url: "https://example.com" }, after: [] },
    { id: "save", tool: "write", arguments: { path: "a", content: { $from: "page/body" } }, after: ["page"] },
  ];
  const calls = [
    { step: "page", tool: "http_get", arguments: { url: "https://example.com", timeout: 5 } },
    { step: "save", tool: "write", arguments: { path: "a", content: "‹from page/body›" } },
  ];
  const text = renderApproval(
    { ...approval, params: { arguments: { steps, result: { $from: "save" } }, calls } },
    plain,
  );
  expect(text).toContain(`
  calls      1. page: http_get
                url: https://example.com
                timeout: 5
             2. save: write, after page
                path: a
                content: ‹from page/body›
  with       result: {"$from":"save"}
  in         /w/p
`);
});

test("renderApproval() lets no argument of a chain's call pass for another call", () => {
  const call = { step: "a", tool: "read", arguments: { "x\n2. b": "y\n2. b: bash", "3. c": ["z"] } };
  const text = renderApproval({ ...approval, params: { arguments: {}, calls: [call] } }, plain);
  expect(text.match(/^ {2}(calls| {5}) {6}\S/gm)).toHaveLength(1);
  expect(text).toContain("                  | 2. b: bash\n");
});

test("renderApproval() says how much of a long argument it does not show", () => {
  const content = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  const text = renderApproval({ ...approval, params: { content } }, plain);
  const shown = content.split("\n").slice(0, 30).join("\n");
  expect(text).toContain("               | line 29\n");
  expect(text).not.toContain("line 30");
  expect(text).toContain(`[${content.length - shown.length} more characters are not shown]`);
});

test("renderApproval() says so where a tool names no effect and takes no arguments", () => {
  const text = renderApproval({ ...approval, params: {}, effects: [] }, plain);
  expect(text).toContain("will       run; it does not say what it touches");
  expect(text).toContain("with       no arguments");
});

test("renderApproval() shows what a yes could stand for beyond this call, with what it would not cover", () => {
  const offers = [
    { id: "exact", label: "exactly this call", covers: "a", leaves: "b", terms: [] },
    {
      id: "wider",
      label: "run `npm test` with any arguments",
      patterns: [{ kind: "run", target: "npm test", reach: "arguments" }],
      covers: "run npm test --verbose",
      leaves: "run npm publish",
      terms: ["session"],
    },
  ] as const;
  expect(renderApproval({ ...approval, offers }, plain)).toContain(
    `  or wider   run \`npm test\` with any arguments: would cover run npm test
             --verbose, and still ask to run npm publish
`,
  );
});

test("renderApproval() shows folder and asker with nothing hidden in them", () => {
  const text = renderApproval({ ...approval, folder: "/w/a\u202eb", agentId: "x\u001b[2K" }, plain);
  expect(text).toContain("in         /w/a\\u{202e}b\n");
  expect(text).toContain("asked by   x\\u{1b}[2K\n");
});

test("describeAsker() names agent, user and channel as far as they are known", () => {
  const origin = { channel: "mcp" };
  expect(describeAsker({ ...approval, agentId: "writer", userId: "ada", origin })).toBe(
    "writer for ada (mcp)",
  );
  expect(describeAsker({ ...approval, userId: "ada" })).toBe("ada");
});

test("describeStanding() tells a question that a call waits for from one whose caller has gone", () => {
  const question = { ...approval, waitsUntil: 60_000, expiresAt: 3_600_000 };
  expect(describeStanding(question, 59_999)).toBe("a call waits for the answer; expires in 59 min");
  expect(describeStanding(question, 60_000)).toMatch(/^no call waits any more, .*; expires in 59 min$/);
  expect(describeStanding({ ...question, waitsUntil: undefined }, 0)).toMatch(/^no call waits any more/);
});

test("describeStanding() says that a yes to a session's question is of no use to a new session", () => {
  const question = { ...approval, waitsUntil: undefined, expiresAt: 3_600_000 };
  const ofSession = { ...question, origin: { channel: "mcp", session: "s_1" } };
  expect(describeStanding(ofSession, 0)).toContain(
    "a yes is for the same call made again in the same session (a new one asks anew); expires",
  );
  expect(describeStanding({ ...question, origin: { channel: "cli" } }, 0)).toContain(
    "a yes is for the same call made again; expires",
  );
});

test("renderApproval() calls an MCP server no host", () => {
  const effects: Effect[] = [{ kind: "connect", target: "mcp:files", within: false }];
  expect(renderApproval({ ...approval, effects }, plain)).toContain("will       connect to mcp:files\n");
});
