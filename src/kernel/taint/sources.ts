import type { Trust } from "../policy/trust.ts";

/** A text that was seen, and whose it is. */
export interface Source {
  /** The call that it came from; for a message, its channel. */
  readonly callId: string;
  readonly toolName: string;
  readonly trust: Trust;
  /** Read or worked out on this machine, so that it is not everybody's. */
  readonly isPrivate: boolean;
  /** It was there before anything from outside, or a person said it. */
  readonly isGiven?: true;
}

/** `c_12 (web_read)`. */
export function describeSource({ callId, toolName }: Source): string {
  return `${callId} (${toolName})`;
}

/** What was found out about the arguments of a call. */
export interface Finding {
  /** The calls whose data from outside they hold; empty: none. */
  readonly untrusted: readonly Source[];
  /**
   * They name a host that comes from outside, and beside it hold what was read here or what can't be explained: a
   * connection would tell it to that host.
   */
  readonly disclosed: Disclosure | undefined;
}

export interface Disclosure {
  readonly host: string;
  /** What was read here; absent: something of unknown origin was added to an address from outside. */
  readonly source: Source | undefined;
}

export const nothingFound: Finding = { untrusted: [], disclosed: undefined };
