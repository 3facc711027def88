import type { Clock, MaybePromise } from "../../base/index.ts";
import type { Approvals, Approver, Grants } from "../policy/approval.ts";
import type { HowToAllow } from "../policy/ask-person.ts";
import type { Mode } from "../policy/modes.ts";
import type { Rule } from "../policy/rules.ts";
import type { Trust } from "../policy/trust.ts";
import type { ArtifactStore } from "../ports/artifacts.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { LimitsOf } from "../registry/toolset.ts";
import type { SecretSource } from "../secrets/read-secret.ts";
import type { Redact } from "../secrets/redactor.ts";
import type { CallContext } from "./context.ts";
import type { Hook } from "./hooks.ts";
import type { LedgerPolicy } from "./record-step.ts";

/** Every part is optional, and what is left out is the careful choice: no approver means no. */
export interface ExecutorOptions {
  /** @default defaultRules */
  readonly rules?: readonly Rule[];
  /** Rules of a policy to come: where they would decide a call otherwise, the ledger notes it, and nothing else happens. */
  readonly shadowRules?: readonly Rule[];
  /** Unless the call brings its own. @default "ask" */
  readonly mode?: Mode;
  /** Asked where a rule says `ask`, unless the call brings its own. @default nobody: such calls are refused */
  readonly approver?: Approver;
  readonly grants?: Grants;
  /** Finds the lists of tools that bind a call, beside those that it brings. @default none bind it */
  readonly limits?: LimitsOf;
  /** Keeps questions, so that they can be answered from elsewhere and later. */
  readonly approvals?: Approvals;
  readonly ledger?: Ledger;
  /** Policy for calls that the ledger cannot record. @default "required": they are refused */
  readonly ledgerPolicy?: LedgerPolicy;
  readonly artifacts?: ArtifactStore;
  /**
   * Files that earlier processes wrote with data from outside, as the ledger was told of them. Asked once, before the
   * first call. @default none
   */
  readonly untrustedFiles?: () => MaybePromise<readonly string[]>;
  /** Asked in their order. A function is asked at each call, for hooks that may change. */
  readonly hooks?: readonly Hook[] | (() => readonly Hook[]);
  readonly redact?: Redact;
  /** What tools that declare secrets are given. */
  readonly secrets?: SecretSource;
  /** Asked before each call, and waited for: for what must be loaded before anything is shown. Rejecting fails the call unannounced. */
  readonly ready?: () => MaybePromise<void>;
  /** The deadline for tools that name none of their own. @default 30,000 */
  readonly timeoutMs?: number;
  /** No tool may run longer, whatever it says. @default 600,000 */
  readonly maxTimeoutMs?: number;
  /** Calls that run at once. @default 3 */
  readonly maxConcurrent?: number;
  /** Calls of one caller that may wait for their turn; more are refused with TOOL_BUSY. @default 1,000 */
  readonly maxWaiting?: number;
  /** How long a call may wait for its slot and its locks. @default 60,000 */
  readonly maxWaitMs?: number;
  /** How long a call waits for the answer to its question, and a tool for all that it asks people. @default 300,000 */
  readonly approvalTimeoutMs?: number;
  /** How long a kept question can be answered, and a yes to it be used. @default 3,600,000 */
  readonly approvalLifeMs?: number;
  /** Questions of one caller that may be open at once; as often as that it may hear no within ten minutes. @default 5 */
  readonly maxQuestions?: number;
  /** How long a tool has to stop once it is told to, before its caller is answered without it. @default 2,000 */
  readonly graceMs?: number;
  /** Characters of output that reach the model. @default 25,000 */
  readonly maxOutputChars?: number;
  /**
   * Ends the message of a refusal for want of an approver: how the owner of this installation allows such a call.
   * @default "allow it with a rule, or give the executor an approver"
   */
  readonly howToAllow?: HowToAllow;
  /**
   * Told of each call that came off, its own context with it: what served a message once may do so again. `trust` is of
   * the call, which may hold what came from outside though its context says nothing of it.
   */
  readonly onSuccess?: (toolName: string, context: CallContext, trust: Trust) => void;
  readonly clock?: Clock;
  /** Told what no result can carry: a throwing listener, a ledger that could not write the end of a call. */
  readonly onError?: (error: unknown) => void;
}
