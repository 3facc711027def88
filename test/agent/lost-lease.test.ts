import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { driveRun, Interrupts } from "../../src/agent/index.ts";
import { callHistory } from "../../src/app/agent/call-history.ts";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { defineTool, type LedgerPolicy, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { createScriptedChat } from "../../src/testing/index.ts";

interface Driver {
  readonly ledgerPolicy?: LedgerPolicy;
  /** What happens after an answer with a call is stored, and before the call begins. */
  readonly beforeCall?: () => void;
}

/** A run of one call, and what drives it. */
async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), "haft-lease-"));
  const path = join(folder, "haft.db");
  const store = await openStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const { id: sessionId } = await store.sessions.open({ scope: "local", agentId: "main", channel: "test" });
  const parts = [{ type: "text" as const, text: "Do it." }];
  await store.sessions.post({ scope: "local", sessionId, sender: "user", parts });
  const { id: runId } = await store.runs.begin({ scope: "local", kind: "turn", sessionId });
  const done: number[] = [];
  const once = defineTool({
    name: "once",
    description: "Do what must not be done twice.",
    parameters: z.strictObject({ n: z.int() }),
    execute: ({ n }) => {
      done.push(n);
      return `did ${n}`;
    },
  });
  const drive = ({ ledgerPolicy = "required", beforeCall = () => {} }: Driver = {}) => {
    const registry = new ToolRegistry();
    registry.register(once);
    const rules = [{ tool: "*", decision: "allow" as const }];
    class LateExecutor extends ToolExecutor {
      override run(...call: Parameters<ToolExecutor["run"]>) {
        beforeCall();
        return super.run(...call);
      }
    }
    const executor = new LateExecutor(registry, { rules, ledger: store.ledger, ledgerPolicy });
    const model = createScriptedChat(({ messages }) =>
      messages.some(({ role }) => role === "assistant")
        ? "Done."
        : { text: "I do.", calls: [{ name: "once", input: { n: 1 } }] },
    );
    return driveRun({
      store,
      scope: "local",
      runId,
      model,
      executor,
      history: callHistory(store.ledger, registry, store.approvals),
      makePrefix: async () => ({ model: model.id, system: [{ text: "Do it." }], tools: [] }),
      context: () => ({ scope: "local", taskId: runId }),
      interrupts: new Interrupts(),
      maxSteps: 10,
      leaseMs: 60_000,
      emit: () => {},
    });
  };
  /** Another process takes the run, as it may once the lease is over, and lets it go. */
  const takeOver = () => {
    using other = new DatabaseSync(path);
    other.exec(`update agent_run set lease = 'l_another', lease_until = 0 where id = '${runId}'`);
  };
  return { store, runId, done, drive, takeOver };
}

async function listCalls(store: Store): Promise<readonly string[]> {
  return (await store.ledger.list({})).map(
    ({ callId, state }) => `${callId.split(".").slice(1).join(".")} ${state}`,
  );
}

test.each(["required", "best-effort"] as const)(
  "a process that sleeps past its lease before a call begins does not make it: records are %s",
  async (ledgerPolicy) => {
    const { store, done, drive, takeOver } = await openWorld();
    await drive({ ledgerPolicy, beforeCall: takeOver }).catch((error: unknown) =>
      expect(error).toMatchObject({ code: "RUN_LOST" }),
    );
    expect(done).toEqual([]);
    expect(await listCalls(store)).toEqual([]);
    await drive();
    expect(done).toEqual([1]);
    expect(await listCalls(store)).toEqual(["1.1 completed"]);
    expect(await store.ledger.verify()).toMatchObject({ valid: true });
  },
);
