/** A message, and the tool whose call for it came off. */
export interface ToolUse {
  readonly toolName: string;
  readonly goal: string;
  /** Unix ms. */
  readonly at: number;
}

/** Remembers which tool served which message, for this installation alone. */
export interface UsageMemory {
  /** Lists the uses of one scope, newest first, at most so many a tool. */
  list(scope: string): Promise<readonly ToolUse[]>;
  /** Keeps one more; the oldest of the same tool go. The same message again only makes it new. */
  learn(scope: string, use: ToolUse): Promise<void>;
  /** Forgets what was learnt of one tool, or of all. Returns how many were forgotten. */
  forget(scope: string, toolName?: string): Promise<number>;
}
