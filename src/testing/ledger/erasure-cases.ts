import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { LedgerStore } from "../../modules/ledger/index.ts";
import type { ContractCase } from "../contract-case.ts";
import { call, outcome } from "./ledger-samples.ts";

const by = "person:ada";

/** Texts of calls that are erased. */
export const erasureCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "erase() takes the texts of one call out of all its rows, and the chain stays whole",
    async run(ledger) {
      await ledger.start(call);
      await ledger.end(call, { ...outcome, keep: { trust: "trusted", private: false } });
      await ledger.end({ ...call, callId: "c_2" }, outcome);
      strictEqual(await ledger.erase("c_1", by), "erased");
      const erased = await ledger.show("c_1");
      ok(erased !== undefined);
      const { paramsText, paramsDigest, summary, resultDigest, notes } = erased;
      deepStrictEqual(
        [erased.erased, paramsText, paramsDigest, summary, resultDigest, notes],
        [true, "", undefined, undefined, undefined, []],
      );
      deepStrictEqual(
        [erased.toolName, erased.state, erased.decision],
        ["write_file", "completed", call.decision],
      );
      strictEqual(await ledger.outcome("c_1"), undefined);
      const other = await ledger.show("c_2");
      deepStrictEqual([other?.erased, other?.paramsText], [false, call.paramsText]);
      const chain = await ledger.verify();
      deepStrictEqual([chain.valid, chain.valid && chain.erased], [true, 1]);
    },
  },
  {
    name: "erase() erases a call once, and records nothing the second time",
    async run(ledger) {
      await ledger.end(call, outcome);
      strictEqual(await ledger.erase("c_1", by), "erased");
      const before = await ledger.verify();
      strictEqual(await ledger.erase("c_1", by), "erased");
      deepStrictEqual(await ledger.verify(), before);
    },
  },
  {
    name: "erase() leaves a call that runs, and knows none that never was",
    async run(ledger) {
      await ledger.start(call);
      strictEqual(await ledger.erase("c_1", by), "running");
      strictEqual((await ledger.show("c_1"))?.paramsText, call.paramsText);
      strictEqual(await ledger.erase("c_2", by), "not-found");
    },
  },
  {
    name: "erase() holds under an anchor that was taken before it",
    async run(ledger) {
      await ledger.end(call, outcome);
      const before = await ledger.verify();
      ok(before.valid);
      await ledger.erase("c_1", by);
      strictEqual((await ledger.verify({ anchor: before.head })).valid, true);
    },
  },
];
