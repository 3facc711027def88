import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { LedgerStore } from "../../modules/ledger/index.ts";
import type { ContractCase } from "../contract-case.ts";
import { call, failure, outcome } from "./ledger-samples.ts";

/** Whole outcomes beside the ledger's records. */
export const keptOutcomeCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "end() keeps the whole outcome where it is told to, until it is forgotten",
    async run(ledger) {
      const text = `${"wrote 6 bytes, ä\u2028 ".repeat(1000)}💡`;
      const completedAt = Date.now();
      const kept = {
        ...outcome,
        text,
        completedAt,
        keep: { trust: "untrusted", private: true, hosts: ["site.example"] },
      } as const;
      await ledger.start({ ...call, callId: "r_1.1.1" });
      await ledger.end({ ...call, callId: "r_1.1.1" }, kept);
      await ledger.end(
        { ...call, callId: "r_1.1.2" },
        { ...failure, completedAt, keep: { trust: "trusted", private: false } },
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
        private: true,
        hosts: ["site.example"],
      });
      const failed = await ledger.outcome("r_1.1.2");
      deepStrictEqual([failed?.code, failed?.private, failed?.hosts], ["TOOL_FAILED", false, undefined]);
      strictEqual(await ledger.outcome("c_1"), undefined);
      await ledger.forgetOutcomes("r_1.");
      strictEqual(await ledger.outcome("r_1.1.1"), undefined);
      strictEqual(await ledger.outcome("r_1.1.2"), undefined);
      strictEqual((await ledger.outcome("r_2.1.1"))?.text, text);
      strictEqual((await ledger.verify()).valid, true);
    },
  },
  {
    name: "untrustedFiles() lists what calls said that they write with data from outside, the latest last",
    async run(ledger) {
      const file = (callId: string, untrustedFiles: readonly string[], startedAt: number) =>
        ledger.start({ ...call, callId, untrustedFiles, startedAt });
      deepStrictEqual(await ledger.untrustedFiles(), []);
      await file("c_1", ["/w/a", "/w/b"], 1000);
      await file("c_2", ["/w/c"], 2000);
      await file("c_3", ["/w/a"], 3000);
      // Known once it has started, whatever becomes of the call; and at its end where it was not known before.
      await ledger.start({ ...call, callId: "c_4", startedAt: 4000 });
      await ledger.end(
        { ...call, callId: "c_4" },
        { ...outcome, completedAt: 4025, untrustedFiles: ["/w/d"] },
      );
      const both = { ...call, callId: "c_5", startedAt: 5000, untrustedFiles: ["/w/e"] };
      await Promise.all([
        ledger.start(both),
        ledger.end(both, { ...outcome, completedAt: 5025, untrustedFiles: ["/w/f"] }),
      ]);
      deepStrictEqual(await ledger.untrustedFiles(), ["/w/b", "/w/c", "/w/a", "/w/d", "/w/e", "/w/f"]);
      strictEqual((await ledger.verify()).valid, true);
    },
  },
];
