import { expect, test } from "vitest";
import { openStore } from "../store/open-store.ts";
import { HookCounts } from "./hook-counts.ts";

test("HookCounts writes what was counted together, and tells of a store that can't be written", async () => {
  await using store = await openStore({ path: ":memory:" });
  let writes = 0;
  const errors: unknown[] = [];
  let isBroken = false;
  const counts = new HookCounts({
    open: async () => {
      if (isBroken) throw new Error("no store");
      writes++;
      return store.hookRuns;
    },
    scope: "local",
    onError: (error) => void errors.push(error),
  });
  counts.record("guard", { at: 1, durationMs: 10, blocked: true });
  counts.record("guard", { at: 2, durationMs: 20, blocked: false, error: "oh" });
  counts.record("guard", { at: 3, durationMs: 30, blocked: false });
  await counts.flush();
  expect(writes).toBe(1);
  expect(await store.hookRuns.list("local")).toEqual([
    { hook: "guard", runs: 3, blocks: 1, errors: 1, meanMs: 20, lastRunAt: 3, lastError: "oh" },
  ]);
  await counts.flush();
  expect(writes).toBe(1);
  isBroken = true;
  counts.record("guard", { at: 4, durationMs: 1, blocked: false });
  await counts.flush();
  expect(errors).toEqual([new Error("no store")]);
});
