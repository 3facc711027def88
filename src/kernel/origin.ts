/** Where a call came from. */
export interface Origin {
  /** `cli`, `mcp`, `agent`, `telegram`, … */
  readonly channel: string;
  /** The message, request or session within the channel. */
  readonly id?: string;
  /** The channel's own handle on whoever asked; only the channel knows its form. */
  readonly peer?: unknown;
}
