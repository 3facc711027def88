/** The program that a call came from, as it names itself. Nothing vouches for it: show it, decide nothing by it. */
export interface ClientInfo {
  readonly name: string;
  /** Empty where it names none. */
  readonly version: string;
}

/** Where a call came from. */
export interface Origin {
  /** `cli`, `mcp`, `agent`, `telegram`, … */
  readonly channel: string;
  /** The message, request or session within the channel. */
  readonly id?: string;
  /** For how long the same people talk to the same caller, where the channel knows. */
  readonly session?: string;
  readonly client?: ClientInfo;
  /** Whom the channel's credential names; nothing in it is the caller's to choose. */
  readonly principal?: string;
  /** The channel's own handle on whoever asked; only the channel knows its form. */
  readonly peer?: unknown;
}
