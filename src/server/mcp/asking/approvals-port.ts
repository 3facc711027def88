import type { Approval, ApprovalAnswer } from "../../../kernel/index.ts";

/** What a client's answer is read by. */
export interface KeptQuestion extends Pick<Approval, "toolName" | "effects" | "offers" | "createdAt"> {
  /** Whether the same call, made again, can use a yes: not where its arguments are secret. */
  readonly reusable: boolean;
}

/** Questions to people that outlive the call that asked them. */
export interface McpApprovals {
  /** Undefined for an id that is not known. */
  get(id: string): Promise<KeptQuestion | undefined>;
  /** Answers, once. Rejects with one of the APPROVAL_ codes where that is not possible. */
  answer(id: string, answer: ApprovalAnswer): Promise<void>;
}
