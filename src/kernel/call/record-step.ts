import { getErrorMessage, isPromise } from "../../base/index.ts";
import { ToolError } from "../errors.ts";
import { LeaseLostError, type Ledger } from "../ports/ledger.ts";
import type { Call, CallSoFar, DecidedCall } from "./call.ts";
import type { ToolResult } from "./result.ts";
import type { ResultStep } from "./result-step.ts";

/**
 * Policy for a call that the ledger cannot record. `required`: it is refused, even if it only reads.
 * `best-effort`: it runs, and its result says that there is no record of it.
 */
export type LedgerPolicy = "required" | "best-effort";

export interface RecordOptions {
  readonly ledger: Ledger;
  readonly policy: LedgerPolicy;
  readonly results: ResultStep;
  readonly onError: (error: unknown) => void;
}

/** Records the start and the end of each call, and applies the policy if that fails. */
export class RecordStep {
  readonly #options: RecordOptions;
  /** Whether the last attempt to write a record succeeded. */
  #isSound = true;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /**
   * Records the call before it can change anything. A call that only reads on this machine runs in the meantime, unless
   * the last record failed; its result is held back until the record is written.
   *
   * @throws {ToolError} TOOL_UNRECORDED
   */
  start(call: DecidedCall): Promise<void> | undefined {
    const { ledger, policy } = this.#options;
    const written = ledger.start(call.toLedger());
    call.record(written);
    if (call.onlyReads && (policy === "best-effort" || this.#isSound)) {
      written.catch(() => {}); // Reported when the end is recorded.
      return undefined;
    }
    return written.catch((cause: unknown) => {
      const isLost = cause instanceof LeaseLostError;
      if (policy === "best-effort" && !isLost) return;
      if (!isLost) this.#isSound = false;
      throw unrecorded(call, "nothing was done", cause);
    });
  }

  /** Records the end of a call and returns its result, or the result that the policy prescribes if recording fails. */
  async end(call: CallSoFar, result: ToolResult): Promise<ToolResult> {
    const { ledger, policy, results, onError } = this.#options;
    try {
      const ended = ledger.end(call.toLedger(), call.toOutcome(result));
      await Promise.all([call.recorded, ended]);
      this.#isSound = true;
      return result;
    } catch (error) {
      this.#isSound = false;
      onError(error);
      const hasStart = await isWritten(call.recorded);
      if (policy === "required" && call.ran && !hasStart) {
        call.partial = "";
        const failure = unrecorded(call, "what it read is not given out", error);
        const refused = results.toResult(call, { success: false, error: failure });
        return isPromise(refused) ? await refused : refused;
      }
      const what = call.ran && !hasStart ? "this call" : "the end of this call";
      call.notes.push(`ledger: ${what} could not be recorded`);
      return result;
    }
  }
}

function isWritten(recorded: Promise<void> | undefined): Promise<boolean> {
  return Promise.resolve(recorded).then(
    () => true,
    () => false,
  );
}

function unrecorded({ toolName }: Call, state: string, cause: unknown): ToolError {
  return new ToolError(
    toolName,
    "TOOL_UNRECORDED",
    `Cannot run "${toolName}": the ledger could not record its start, so ${state}; ${getErrorMessage(cause)}`,
    { cause },
  );
}
