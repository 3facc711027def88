import type { Approval, ApprovalAnswer, Approvals } from "../../../kernel/index.ts";

/** `used`: a call ran by the yes. `expired`: nobody answered in time, or no call came for the yes. */
export const approvalStates = ["pending", "approved", "denied", "used", "expired"] as const;

/** One of {@link approvalStates}. */
export type ApprovalState = (typeof approvalStates)[number];

/** A question with what came of it. Its `origin` has no `peer`: that was the channel's, and is gone with its process. */
export interface KeptApproval extends Approval {
  readonly digest: string;
  readonly state: ApprovalState;
  /** Whether the same call, made again, can use a yes. False: only the one that asked, while it waits. */
  readonly reusable: boolean;
  readonly answer: ApprovalAnswer | undefined;
  /** Why it was taken back; undefined for one that was not. */
  readonly withdrawn?: string;
  /** Unix ms. */
  readonly answeredAt: number | undefined;
  /** Unix ms. */
  readonly usedAt: number | undefined;
  /** The id of the call that used the yes. */
  readonly usedBy: string | undefined;
}

/** A question without its arguments: one of a thousand may hold a megabyte. `get` has them. */
export interface ListedApproval extends Omit<KeptApproval, "params" | "digest"> {
  /** The effects are too long for a list, and `effects` is empty: `get` has them. */
  readonly hasLongEffects?: true;
}

/** A person who watches stored questions. */
export interface Watcher {
  /** Kind of program they use: `terminal`, … */
  readonly kind: string;
  /** Who answers there, as in {@link ApprovalAnswer.by}. */
  readonly identity: string;
}

/** Which questions to list. */
export interface ApprovalQuery {
  /** @default all */
  readonly state?: ApprovalState;
  /** @default all */
  readonly scope?: string;
  /** @default all */
  readonly toolName?: string;
  /** The call that asked first. @default all */
  readonly callId?: string;
}

/**
 * Questions that outlive their process, with what those who answer need. Whatever is decided is decided by one
 * change of one row, so that of any number of processes one wins. What is resolved survives the loss of power.
 */
export interface ApprovalStore extends Approvals {
  /** Newest first, at most 1,000. Those that ended more than 30 days ago may be gone. */
  list(query?: ApprovalQuery): Promise<readonly ListedApproval[]>;
  /** Undefined for a question that never was, or is gone. */
  get(id: string): Promise<KeptApproval | undefined>;
  /** Removes the questions about the calls of this id. */
  remove(callId: string): Promise<void>;
  /**
   * Lets calls in any process know that somebody watches stored questions, so that they wait for an answer. It is
   * over when the returned function is called, and soon after its process has died.
   */
  watch(watcher: Watcher): Promise<() => Promise<void>>;
  /** Whether somebody watches who may answer as one of these. */
  watched(approvers: readonly string[]): Promise<boolean>;
}
