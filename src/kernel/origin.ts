/** Where a call came from. */
export interface Origin {
  /** `cli`, `mcp`, `agent`, `telegram`, … */
  readonly channel: string;
  /** The message, request or session within the channel. */
  readonly id?: string;
  /** For how long the same people talk to the same caller, where the channel knows. */
  readonly session?: string;
  /** The channel's own handle on whoever asked; only the channel knows its form. */
  readonly peer?: unknown;
}
