import type { LedgerCall, LedgerOutcome } from "../../kernel/index.ts";

/** A call that contract cases record. */
export const call: LedgerCall = {
  callId: "c_1",
  toolName: "write_file",
  toolVersion: "2",
  scope: "local/agent",
  taskId: "t_1",
  agentId: "writer",
  userId: "ada",
  channel: "cli",
  client: { name: "a-client", version: "1.2" },
  session: "s_1",
  project: "/home/ada/project",
  parentCallId: undefined,
  rootCallId: undefined,
  params: { path: "/tmp/a", content: "secret" },
  paramsText: '{"path":"/tmp/a","content":"[redacted:KEY]"}',
  idempotent: false,
  decision: { decision: "allow", by: "person:ada" },
  startedAt: 1000,
};

/** How it ended. */
export const outcome: LedgerOutcome = {
  success: true,
  code: undefined,
  text: "wrote 6 bytes",
  notes: ["arguments: one repaired"],
  artifactId: "a_1",
  stillRunning: false,
  completedAt: 1025,
  durationMs: 24.5,
};

/** The same as a failure. */
export const failure: LedgerOutcome = {
  ...outcome,
  success: false,
  code: "TOOL_FAILED",
  artifactId: undefined,
};
