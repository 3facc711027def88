import type { CallContext, ContentBlock, Trust } from "../../kernel/index.ts";

/*
 * What haft and a worker say to each other: JSON, each message behind its length in 4 bytes. What comes from a worker
 * is a stranger's word, whatever these types say of it.
 */

export type ToWorker =
  /** Imports the modules and says what each asks for. Nothing in them was given anything yet. */
  | ({ readonly type: "load" } & ModuleSet)
  /** Makes the tools of these entries. */
  | { readonly type: "make"; readonly entries: readonly string[] }
  | {
      readonly type: "call";
      readonly id: number;
      readonly tool: string;
      readonly params: unknown;
      readonly facts: CallFacts;
    }
  | { readonly type: "cancel"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly type: "secret"; readonly request: number; readonly value?: string; readonly fault?: Fault };

export type FromWorker =
  | { readonly type: "loaded"; readonly entries: readonly LoadedEntry[] }
  | { readonly type: "made"; readonly entries: readonly MadeEntry[] }
  | {
      readonly type: "progress";
      readonly id: number;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | { readonly type: "output"; readonly id: number; readonly text: string }
  | { readonly type: "result"; readonly id: number; readonly value?: unknown; readonly content?: WireContent }
  | { readonly type: "failed"; readonly id: number; readonly fault: Fault }
  /** Without the id of a call: for a factory. */
  | { readonly type: "secret"; readonly request: number; readonly id?: number; readonly name: string }
  /** Without a tool: from no call. */
  | { readonly type: "log"; readonly level: LogLevel; readonly message: string; readonly tool?: string };

export interface ModuleSet {
  readonly files: readonly ModuleFile[];
  /** Addresses of the modules that are tools. */
  readonly entries: readonly string[];
  readonly packages: readonly LentPackage[];
  /** How its tools are called, where its `pack.md` says that this is another way than haft's. */
  readonly signature?: CallSignature;
}

/**
 * The way of other programs to call a tool: with the id of the call and the arguments, for a result
 * `{output, details?}`. A `pack.md` names it in its front matter, or a module as `meta.signature`.
 */
export const callIdSignature = "toolCallId, args";
export type CallSignature = typeof callIdSignature;

/** A package that an extension has without installing it. */
export interface LentPackage {
  readonly name: string;
  /** The address of its `package.json`. */
  readonly url: string;
}

export interface ModuleFile {
  /** A `file:` address: where the text was read. It is not read again. */
  readonly url: string;
  readonly text: string;
}

export interface LoadedEntry {
  readonly url: string;
  /** `meta.requires`, as it stands there. */
  readonly requires?: unknown;
  /** `meta.examples`, as it stands there. */
  readonly examples?: unknown;
  readonly fault?: Fault;
}

export interface MadeEntry {
  readonly url: string;
  /** Absent: the factory made none. */
  readonly tools?: readonly unknown[];
  readonly fault?: Fault;
}

/** What can be told of something thrown. */
export interface Fault {
  readonly message: string;
  readonly code?: string;
  readonly details?: unknown;
  /** The place in the extension's own files. */
  readonly place?: { readonly url: string; readonly line: number };
}

/** The part of a tool's context that is data. */
export interface CallFacts
  extends Pick<CallContext, "taskId" | "agentId" | "userId" | "origin" | "allowedPaths" | "allowedHosts"> {
  readonly callId: string;
  readonly scope: string;
  readonly effects: readonly object[];
  readonly trust: Trust;
  readonly deadline: number;
}

export interface WireContent {
  readonly blocks: readonly ContentBlock[];
  readonly structured?: unknown;
  readonly trust?: "untrusted";
}

export const logLevels = ["info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The size of one message in bytes, either way: a larger one is refused where it is made, and ends the worker
 * where it comes in.
 */
export const mostFrameBytes: number = 32 * 1024 ** 2;
/** The longest result, as JSON. */
export const mostResultChars: number = 8 * 1024 ** 2;
