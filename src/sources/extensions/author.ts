import type { ExtensionRequirements } from "./requirements.ts";

/** What a module of an extension may export as `meta`, beside its tool. */
export interface ExtensionMeta {
  /** Where one of these is not there, the tool is left out, and `haft doctor` says why. */
  readonly requires?: ExtensionRequirements;
}

/** What a factory gets: the default export of a module that makes its tools at the start. */
export interface ExtensionFactoryServices {
  /** One of `meta.requires.secrets`. In a call, `context.secret` gives it for the scope of that call. */
  readonly secret: (name: string) => Promise<string>;
  /** For what is no output of a call. */
  readonly logger: Readonly<Record<"info" | "warn" | "error", (message: unknown) => void>>;
}
