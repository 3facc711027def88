/** What one script may use. */
export interface ScriptLimits {
  /** Memory of the program: its own values, and the results it holds. */
  readonly memoryBytes: number;
  /** Time in which the program computes, without that in which it awaits calls. */
  readonly computeMs: number;
  readonly calls: number;
  /** Calls that run at the same time; more of them wait. */
  readonly callsAtOnce: number;
  /** The characters of the arguments of one call, as JSON. */
  readonly argumentChars: number;
  /** The characters of what one call gives the program. */
  readonly valueChars: number;
  /** The characters of the program's result, as JSON. */
  readonly resultChars: number;
  /** The characters of all that the program writes to the console; the rest is left out. */
  readonly consoleChars: number;
  /** Programs that run at the same time, whoever calls them. */
  readonly scripts: number;
}

export const defaultScriptLimits: ScriptLimits = {
  memoryBytes: 64 * 1024 * 1024,
  computeMs: 10_000,
  calls: 100,
  callsAtOnce: 8,
  argumentChars: 1_000_000,
  valueChars: 1_000_000,
  resultChars: 1_000_000,
  consoleChars: 20_000,
  scripts: 16,
};
