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
  /** The text that a user needs to decide. */
  readonly describe: (approval: Approval) => string;
}

/** Settings and services of the agent for one client. */
export interface AcpOptions {
  readonly version: string;
  /** Opens the installation of a folder, or returns the open one. */
  readonly open: (folder: string) => Promise<App>;
  /** @default nobody is asked: questions wait for `haft approvals` */
  readonly asking?: AcpAsking;
  /** The agent of new sessions. @default "main" */
  readonly agentId?: string;
  /** The name of a model in the configuration. */
  readonly model?: string;
  /** Called with a note for the user that the protocol has no message for. */
  readonly onNote: (text: string) => void;
}
