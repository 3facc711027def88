import type { PermissionOptionKind } from "@agentclientprotocol/sdk";
import type { App } from "../../app/index.ts";
import type { Approval, ApprovalAnswer } from "../../kernel/index.ts";

/** An answer that a client offers to its user. */
export interface AcpChoice {
  readonly id: string;
  readonly label: string;
  readonly kind: PermissionOptionKind;
  readonly answer: ApprovalAnswer;
}

/** How the user of a client is asked about calls. */
export interface AcpAsking {
  readonly identity: string;
  readonly listChoices: (approval: Approval) => readonly AcpChoice[];
  /** What the user has to know to answer. */
  readonly describe: (approval: Approval) => string;
}

/** What the agent for one client is made of. */
export interface AcpOptions {
  readonly version: string;
  /** Opens the installation of a folder; called again for the same one. */
  readonly open: (folder: string) => Promise<App>;
  /** @default nobody is asked: questions wait for `haft approvals` */
  readonly asking?: AcpAsking;
  /** The agent of new sessions. @default "main" */
  readonly agentId?: string;
  /** The name of a model in the configuration. */
  readonly model?: string;
  /** Told what the user of the client should know, and can't be told there. */
  readonly onNote: (text: string) => void;
}
