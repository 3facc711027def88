import type { Approver, Mode } from "../../kernel/index.ts";

/** The settings that a chat is opened with. */
export interface ChatSettings {
  readonly approver?: Approver;
  readonly agentId?: string;
  /** The name of a model in the configuration. */
  readonly model?: string;
  /** The mode of its runs. @default that of the process that drives them */
  readonly mode?: Mode;
  /** Whether news of tasks are shown on the desktop, too. @default false */
  readonly notify?: boolean;
}
