import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { driveRun, Interrupts } from "../../src/agent/index.ts";
import { callHistory } from "../../src/app/agent/call-history.ts";
import { openStore } from "../../src/app/store/index.ts";
import { type Approver, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { createScriptedChat } from "../../src/testing/index.ts";
import { sendTool } from "../fixtures/agent/send-tool.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-repeated-"));
afterAll(() => rmSync(folder, { recursive: true }));

const scope = "local";
const again = { calls: [{ name: "send", input: { n: 1 } }] };

/** A run whose process was killed while it sent something. */
async function killWhileSending(
  path: string,
  leaseMs = 0,
): Promise<{ readonly sessionId: string; readonly runId: string }> {
  await using store = await openStore({ path });
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
  await store.sessions.post({ scope, sessionId, sender: "user", parts: [{ type: "text", text: "Send 1." }] });
  const { id: runId } = await store.runs.begin({ scope, kind: "turn", sessionId });
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../fixtures/agent/send-once.ts"), path, runId, `${leaseMs}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(createInterface(child.stdout), "line");
  child.kill("SIGKILL");
  await once(child, "exit");
  return { sessionId, runId };
}

test.for<[string, boolean, readonly string[]]>([
  ["nobody is there: it is refused, and happens once at most", false, ["1"]],
  ["somebody says yes: it is made", true, ["1", "1"]],
])(
  "after a kill in the middle of a call the model makes it again, though a rule allows it and %s",
  async ([, isYes, sent]) => {
    const path = join(folder, `${isYes}.db`);
    const { sessionId, runId } = await killWhileSending(path);
    await using store = await openStore({ path });
    const registry = new ToolRegistry();
    registry.register(
      sendTool((n) => {
        appendFileSync(`${path}.sent`, `${n}\n`);
        return `sent ${n}`;
      }),
    );
    const asked: string[] = [];
    const approver: Approver = {
      identity: "owner:ada",
      ask: async ({ reason }) => {
        asked.push(reason);
        return { approved: true, by: "owner:ada" };
      },
    };
    const model = createScriptedChat([again, "Done."]);
    const end = await driveRun({
      store,
      scope,
      runId,
      model,
      executor: new ToolExecutor(registry, {
        rules: [{ decision: "allow" }],
        ledger: store.ledger,
        approvals: store.approvals,
        ...(isYes && { approver }),
      }),
      history: callHistory(store.ledger, registry, store.approvals),
      makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
      context: () => ({ scope, taskId: runId }),
      interrupts: new Interrupts(),
      maxSteps: 10,
      emit: () => undefined,
    });
    expect(end).toMatchObject({ state: "completed" });
    expect(readFileSync(`${path}.sent`, "utf8").trimEnd().split("\n")).toEqual(sent);
    const [first, second] = (await store.sessions.entries(scope, sessionId)).filter(
      (entry) => entry.kind === "result",
    );
    expect(first).toMatchObject({
      code: "TOOL_UNKNOWN",
      text: expect.stringContaining("Look before you do it again: list what was sent"),
    });
    expect(second).toMatchObject(
      isYes
        ? { failed: false, text: "sent 1" }
        : { code: "TOOL_PERMISSION", text: expect.stringMatching(/may have happened already at \d\d:\d\d/) },
    );
    expect(asked).toEqual(isYes ? [expect.stringContaining("may have happened already")] : []);
  },
);

test("what a killed process drove is stopped and deleted at once, long before its lease ends", async () => {
  for (const act of ["stop", "delete"] as const) {
    const path = join(folder, `${act}.db`);
    const { sessionId, runId } = await killWhileSending(path, 600_000);
    await using store = await openStore({ path });
    if (act === "stop") expect(await store.runs.stop(scope, runId, "user")).toBe(true);
    else expect(await store.sessions.delete(scope, sessionId)).toBe(true);
  }
  const path = join(folder, "living.db");
  await using one = await openStore({ path });
  await using other = await openStore({ path });
  const { id: sessionId } = await one.sessions.open({ scope, agentId: "main", channel: "test" });
  const { id: runId } = await one.runs.begin({ scope, kind: "turn", sessionId });
  await one.runs.claim(scope, runId, 600_000);
  expect(await other.runs.stop(scope, runId, "user")).toBe(false);
  await expect(other.sessions.delete(scope, sessionId)).rejects.toMatchObject({ code: "SESSION_BUSY" });
});
