/** The program that a call came from, as it names itself. The name is not verified: show it, but base no decision on it. */
export interface ClientInfo {
  readonly name: string;
  /** Version; empty if the program states none. */
  readonly version: string;
}

/** The channel and the sender that a call came from. */
export interface Origin {
  /** `cli`, `mcp`, `agent`, `telegram`, … */
  readonly channel: string;
  /** The message, request or session within the channel. */
  readonly id?: string;
  /** The session: as long as the same people talk to the same caller, where the channel knows. */
  readonly session?: string;
  readonly client?: ClientInfo;
  /** Identity that the channel's credential proves; the caller cannot choose it. */
  readonly principal?: string;
  /** The channel's own handle on whoever asked; only the channel knows its form. */
  readonly peer?: unknown;
}
