import type { ExtensionRequirements } from "./requirements.ts";

/** What a module of an extension may export as `meta`, beside its tool. */
export interface ExtensionMeta {
  /** If one of these is missing, the tool is left out, and `haft doctor` says why. */
  readonly requires?: ExtensionRequirements;
  /** Calls that `haft tools test` makes, and what has to come of each. */
  readonly examples?: readonly ExtensionExample[];
}

/** A call that `haft tools test` makes, and what has to come of it. */
export interface ExtensionExample {
  readonly name?: string;
  /** Required where the module makes several tools. */
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** All that is said has to hold. Without `code` the call has to succeed. */
  readonly expect?: {
    /** The whole output. */
    readonly output?: string;
    /** Pieces of the output, or of the error. */
    readonly contains?: string | readonly string[];
    /** A regular expression, as text. */
    readonly matches?: string;
    /** The code that the call has to fail with. */
    readonly code?: string;
  };
}

/** What a factory gets: the default export of a module that makes its tools at the start. */
export interface ExtensionFactoryServices {
  /** One of `meta.requires.secrets`. In a call, `context.secret` gives it for the scope of that call. */
  readonly secret: (name: string) => Promise<string>;
  /** The logger for what is no output of a call. */
  readonly logger: Readonly<Record<"info" | "warn" | "error", (message: unknown) => void>>;
}
