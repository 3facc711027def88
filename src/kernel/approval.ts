import type { Effect } from "./effect.ts";
import type { Origin } from "./origin.ts";

/** One question to a person: may this call, exactly as it stands, run? */
export interface Approval {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly toolTitle: string;
  readonly toolVersion: string;
  readonly params: unknown;
  /** What the call will do that needs an answer; empty if the tool names nothing. */
  readonly effects: readonly Effect[];
  /** Why it asks. */
  readonly reason: string;
  readonly scope: string;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
  readonly origin: Origin | undefined;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; an answer that comes later counts as no. */
  readonly expiresAt: number;
}

export type ApprovalAnswer =
  | {
      readonly approved: true;
      /** Who answered. */
      readonly by: string;
      /** Do not ask again for this tool version with these exact arguments. @default false */
      readonly remember?: boolean;
    }
  | { readonly approved: false; readonly by: string; readonly reason?: string };

/** Where a person can be reached. Rejecting, or not answering before `signal` is aborted, counts as no. */
export interface Approver {
  ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** The call a remembered answer is for: the same tool version, arguments, effects and agent. */
export interface GrantKey {
  readonly scope: string;
  readonly agentId: string | undefined;
  readonly toolName: string;
  readonly toolVersion: string;
  readonly params: unknown;
  /** What the call will do: the same arguments mean other files in another folder. */
  readonly effects: readonly Effect[];
}

/** Remembered answers. */
export interface Grants {
  /** The id of the grant that covers this call. */
  find(key: GrantKey): Promise<string | undefined>;
  add(key: GrantKey, by: string): Promise<string>;
}
