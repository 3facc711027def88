import type { Approver, Mode } from "../../kernel/index.ts";

/** What a chat is opened with. */
export interface ChatSettings {
  readonly approver?: Approver;
  readonly agentId?: string;
  /** The name of a model in the configuration. */
  readonly model?: string;
  /** The mode of its runs. @default that of whoever drives them */
  readonly mode?: Mode;
  /** Whether news of tasks are shown on the desktop, too. @default false */
  readonly notify?: boolean;
}

/** The model and the mode that a run is begun or resumed with, as far as they are chosen. */
export function pickChosen({
  model,
  mode,
}: {
  readonly model: string | undefined;
  readonly mode: Mode | undefined;
}): Pick<ChatSettings, "model" | "mode"> {
  return { ...(model !== undefined && { model }), ...(mode !== undefined && { mode }) };
}
