/** One call of a chain. */
export interface ChainStep {
  /** Unique in its chain: letters, digits, `_` and `-`; not `input`. */
  readonly id: string;
  /** The name of a tool. */
  readonly tool: string;
  /** Values, with a `Reference` wherever one comes from elsewhere. @default {} */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Steps that have to be done before, though nothing of theirs is used. */
  readonly after?: readonly string[];
}

/** The calls of a chain, and what comes of them. */
export interface Chain {
  /** The tool's name, for what is said of its faults. */
  readonly name: string;
  readonly steps: readonly ChainStep[];
  /** The result, as {@link ChainDefinition.result} gives it. */
  readonly result?: unknown;
}
