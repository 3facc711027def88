import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { LedgerCall, LedgerOutcome } from "../kernel/index.ts";
import type { LedgerStore } from "../modules/ledger/index.ts";
import type { ContractCase } from "./contract-case.ts";

const call: LedgerCall = {
  callId: "c_1",
  toolName: "write_file",
  toolVersion: "2",
  scope: "local",
  taskId: undefined,
  agentId: undefined,
  userId: undefined,
  channel: undefined,
  client: undefined,
  session: undefined,
  project: undefined,
  params: {},
  paramsText: "{}",
  idempotent: false,
  decision: undefined,
  startedAt: 1000,
};

const outcome: LedgerOutcome = {
  success: true,
  code: undefined,
  text: "wrote 6 bytes",
  notes: ["arguments: one repaired"],
  artifactId: "a_1",
  stillRunning: false,
  completedAt: 1025,
  durationMs: 24.5,
};

const failure: LedgerOutcome = { ...outcome, success: false, code: "TOOL_FAILED", artifactId: undefined };

/** Whole outcomes beside the ledger's records. */
export const keptOutcomeCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "end() keeps the whole outcome where it is told to, until it is forgotten",
    async run(ledger) {
      const text = `${"wrote 6 bytes, ä\u2028 ".repeat(1000)}💡`;
      const completedAt = Date.now();
      const kept = { ...outcome, text, completedAt, keep: { trust: "untrusted" } } as const;
      await ledger.start({ ...call, callId: "r_1.1.1" });
      await ledger.end({ ...call, callId: "r_1.1.1" }, kept);
      await ledger.end(
        { ...call, callId: "r_1.1.2" },
        { ...failure, completedAt, keep: { trust: "trusted" } },
      );
      await ledger.end({ ...call, callId: "r_2.1.1" }, kept);
      await ledger.end({ ...call, callId: "c_1" }, { ...outcome, completedAt });
      deepStrictEqual(await ledger.outcome("r_1.1.1"), {
        text,
        success: true,
        code: undefined,
        artifactId: "a_1",
        notes: ["arguments: one repaired"],
        trust: "untrusted",
      });
      deepStrictEqual((await ledger.outcome("r_1.1.2"))?.code, "TOOL_FAILED");
      strictEqual(await ledger.outcome("c_1"), undefined);
      await ledger.forgetOutcomes("r_1.");
      strictEqual(await ledger.outcome("r_1.1.1"), undefined);
      strictEqual(await ledger.outcome("r_1.1.2"), undefined);
      strictEqual((await ledger.outcome("r_2.1.1"))?.text, text);
      strictEqual((await ledger.verify()).valid, true);
    },
  },
];
