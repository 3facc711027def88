import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { KeptApproval } from "../../modules/approvals/index.ts";
import { Terminal } from "../terminal.ts";
import { renderApprovalList } from "./approval-list.ts";

const question: KeptApproval = {
  id: "a_1",
  callId: "c_1",
  toolName: "bash",
  reusable: true,
  toolTitle: "bash",
  toolVersion: "1",
  digest: "d",
  params: {},
  effects: [{ kind: "run", target: "make", within: false }],
  folder: "/home/ada/projects/a-shop\u001b[2K",
  reason: "no rule allows it",
  offers: [],
  scope: "local",
  agentId: "writer",
  userId: undefined,
  origin: undefined,
  project: undefined,
  approvers: ["owner:*"],
  createdAt: 0,
  waitsUntil: 60_000,
  expiresAt: 3_600_000,
  state: "pending",
  answer: undefined,
  answeredAt: undefined,
  usedAt: undefined,
  usedBy: undefined,
};

function listed(approval: KeptApproval, now: number, columns?: number): string {
  const stdout = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() });
  return renderApprovalList([approval], terminal, { now }).split("\n")[1] ?? "";
}

test("renderApprovalList() tells a question that a call waits for from one whose caller has gone", () => {
  expect(listed(question, 30_000)).toMatch(/ writer +a call waits, 60 min left +\/home/);
  expect(listed(question, 60_000)).toMatch(/ writer +pending, 59 min left +\/home/);
  expect(listed({ ...question, state: "denied" }, 0)).toMatch(/ writer +denied +\/home/);
});

test("renderApprovalList() shows the folder with nothing hidden in it, and its end where a line is short", () => {
  expect(listed(question, 0)).toContain(" /home/ada/projects/a-shop\\u{1b}[2K  bash: run make");
  expect(listed({ ...question, folder: "/home/ada/projects/a-shop" }, 0, 90)).toContain("…rojects/a-shop ");
});
