import { existsSync } from "node:fs";
import type { Erasure } from "../modules/ledger/index.ts";
import { toIndexPath } from "./records/index-path.ts";
import type { Store } from "./store/open-store.ts";

/**
 * Erases the arguments and the result of a call wherever the store has them: in the ledger, among outputs, in the
 * questions about it, and in the index of calls. After a crash, calling it again completes it.
 *
 * @param by `person:<who>`
 */
export async function eraseCall(
  { path, ledger, artifacts, approvals }: Pick<Store, "path" | "ledger" | "artifacts" | "approvals">,
  callId: string,
  by: string,
): Promise<Erasure> {
  const erasure = await ledger.erase(callId, by);
  if (erasure === "erased") {
    await artifacts.removeOutputs(callId);
    await approvals.remove(callId);
    await eraseInIndex(path);
  }
  return erasure;
}

async function eraseInIndex(path: string): Promise<void> {
  if (!existsSync(toIndexPath(path))) return;
  const { WorkerRecords } = await import("./records/worker-records.ts");
  const records = new WorkerRecords({ path });
  try {
    await records.erase();
  } finally {
    await records.close();
  }
}
