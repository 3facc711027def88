import type { Erasure } from "../modules/ledger/index.ts";
import type { Store } from "./store/open-store.ts";

/**
 * Erases the arguments and the result of a call wherever the store has them: in the ledger, among outputs, and in the
 * questions about it. After a crash, calling it again completes it.
 *
 * @param by `person:<who>`
 */
export async function eraseCall(
  { ledger, artifacts, approvals }: Pick<Store, "ledger" | "artifacts" | "approvals">,
  callId: string,
  by: string,
): Promise<Erasure> {
  const erasure = await ledger.erase(callId, by);
  if (erasure === "erased") {
    await artifacts.removeOutputs(callId);
    await approvals.remove(callId);
  }
  return erasure;
}
