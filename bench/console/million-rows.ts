import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/store/index.ts";
import type { LedgerCall, LedgerOutcome } from "../../src/kernel/index.ts";

// A ledger of a million rows. It stays in the folder of temporary files, about a gigabyte, and is used again.

const calls = 500_000;
export const folder: string = join(tmpdir(), "haft-bench-records");
/** The store. */
export const path: string = join(folder, "haft.db");
/** What is computed of it for reading. */
export const index: string = `${path}-calls`;
/** When its first call was made. */
export const start: number = Date.UTC(2026, 0, 1);
const words =
  "path content command query file line build test deploy release notes server client policy rule grant".split(
    " ",
  );
const tools = [
  "read",
  "bash",
  "grep",
  "edit",
  "write",
  "glob",
  "fetch",
  "search",
  "undo",
  "list",
  "chain",
  "script",
];

export function makeCall(at: number): LedgerCall {
  const text = Array.from({ length: 95 }, (_, n) => words[(at * 7 + n * n) % words.length]).join(" ");
  return {
    callId: `c_${at.toString(36).padStart(8, "0")}`,
    toolName: tools[(at * 7) % tools.length] as string,
    toolVersion: "1",
    scope: ["local", "local/a", "local/b"][at % 3] as string,
    taskId: `t_${Math.floor(at / 100)}`,
    agentId: `agent_${at % 9}`,
    userId: undefined,
    channel: "mcp",
    client: { name: ["claude-code", "cursor", "codex"][at % 3] as string, version: "1.2" },
    session: `s_${Math.floor(at / 400)}`,
    project: `/home/ada/project-${at % 5}`,
    parentCallId: undefined,
    rootCallId: at % 50 === 1 ? `c_${(at - 1).toString(36).padStart(8, "0")}` : undefined,
    params: {},
    paramsText: `{"path":"/home/ada/src/file-${at}.ts","content":"${text}"}`,
    idempotent: false,
    decision: { decision: "allow", by: "default" },
    startedAt: start + at * 1000,
  };
}

export function makeOutcome(at: number): LedgerOutcome {
  const isFailed = at % 40 === 0;
  return {
    success: !isFailed,
    code: isFailed ? "TOOL_FAILED" : undefined,
    text: `done ${at}: ${words.join(" ")} ${words.join(" ")}`.slice(0, 180),
    notes: [],
    artifactId: undefined,
    stillRunning: false,
    completedAt: start + at * 1000 + 5,
    durationMs: (at * 37) % 2000,
  };
}

/** Makes the store that is read, unless it is there. */
export async function prepare(): Promise<void> {
  if (existsSync(join(folder, "made"))) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const store = await openStore({ path });
  for (let from = 0; from < calls; from += 1000) {
    const some = Array.from({ length: 1000 }, (_, n) => from + n);
    await Promise.all(some.map((at) => store.ledger.start(makeCall(at))));
    await Promise.all(some.map((at) => store.ledger.end(makeCall(at), makeOutcome(at))));
  }
  await store.close();
  mkdirSync(join(folder, "made"));
}
