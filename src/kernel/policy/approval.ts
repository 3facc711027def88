import type { MaybePromise } from "../../base/index.ts";
import type { Origin } from "../call/origin.ts";
import type { Effect } from "../tool/effect.ts";
import type { Remembrance } from "./rules.ts";

/** One question to a person: may this call, exactly as it stands, run? Where there is a store it is a row before it is asked. */
export interface Approval {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly toolTitle: string;
  readonly toolVersion: string;
  readonly params: unknown;
  /** What the call will do that needs an answer; empty if the tool names nothing. */
  readonly effects: readonly Effect[];
  /** The folder in which the call's commands and relative paths start. */
  readonly folder: string | undefined;
  /** Why it asks. */
  readonly reason: string;
  /** What a yes may be remembered as; empty: it is for this once. */
  readonly offers: readonly GrantOffer[];
  readonly scope: string;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
  readonly origin: Origin | undefined;
  /** The project folder that the call is for. */
  readonly project: string | undefined;
  /** Who may answer, as globs over {@link ApprovalAnswer.by}. */
  readonly approvers: readonly string[];
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; until then, at the latest, a call waits for the answer. Undefined: none does, as nobody could be asked. */
  readonly waitsUntil: number | undefined;
  /** Unix ms; an answer that comes later counts as no. */
  readonly expiresAt: number;
  /** Identifies the question as it is stored and shown; a yes must repeat it. Absent if no store keeps the question. */
  readonly digest?: string;
}

/** What a person, or whoever stands for one, answered a question. */
export type ApprovalAnswer =
  | {
      readonly approved: true;
      /** Who answered: `owner:ada`, `mcp:alice`, `telegram:4711`. */
      readonly by: string;
      /** @default for this once */
      readonly remember?: Remember;
      /** The {@link Approval.digest} of the question that was shown. If it does not match, nothing is answered. */
      readonly shown?: string;
    }
  | { readonly approved: false; readonly by: string; readonly reason?: string };

/** How a yes is remembered: as one of the approval's offers, for how long. */
export interface Remember {
  /** The id of an offer. */
  readonly offer: string;
  readonly term: GrantTerm;
}

/** `session`: until the session or the program that asked ends. `always`: until it is revoked or, but for `project`, long unused. A number: milliseconds. */
export type GrantTerm = "session" | "always" | number;

/** One thing that a yes could be remembered as, with what that would mean. */
export interface GrantOffer {
  /** `exact`, or a short name unique among the offers. */
  readonly id: string;
  /** The grant in words for people: `npm test with any arguments`. */
  readonly label: string;
  /** What it covers; absent: exactly this call. */
  readonly patterns?: readonly EffectPattern[];
  /** A call that would not be asked about any more, and a near one that still would. */
  readonly covers: string;
  readonly leaves: string;
  /** Some effects can never be allowed for good. */
  readonly terms: readonly ("session" | "always" | "time")[];
}

/**
 * The effects of one tool that a grant covers: those of a kind with a target that it reaches. The target is taken
 * literally, no character of it stands for others: a file named `*` is one file.
 */
export interface EffectPattern {
  readonly kind: Effect["kind"];
  readonly target: string;
  /**
   * `same`: this target. `arguments`: this command, with any words after it. `below`: this folder and all in it.
   * `project`: any command that runs the project's own programs, if it is confined and can be undone.
   */
  readonly reach: "same" | "arguments" | "below" | "project";
  /**
   * Present for a command that this covers only where it runs in the sandbox, as it would have when it was
   * answered.
   */
  readonly confined?: true;
}

/**
 * A way to ask a person. Rejecting, or not answering before `signal` is aborted, counts as no; rejecting with
 * a NobodyThereError leaves the question open for others to answer.
 */
export interface Approver {
  /** Who answers here; {@link ApprovalAnswer.by} of its answers. */
  readonly identity: string;
  /** Puts the question to a person. Rejects with the reason of `signal` once that is aborted, and with {@link NobodyThereError} where nobody can see it. */
  ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/**
 * Questions that outlive the process that asked. A call that got no answer in time may be made again once the answer
 * is there, and takes it then.
 */
export interface Approvals {
  /**
   * Keeps the question, with what exactly an answer is for. Where the same one waits already, that one is kept and
   * returned, and is waited for as long as the later of both. Without a key no other call can use the answer.
   */
  open(approval: Approval, key: CallKey | undefined): Promise<Approval>;
  /**
   * Answers, as anybody may who is among `approvers`, once, before it expires.
   *
   * @throws {CodedError} APPROVAL_NOT_FOUND, APPROVAL_EXPIRED, APPROVAL_ANSWERED, APPROVAL_NOT_YOURS,
   * APPROVAL_NOT_OFFERED, APPROVAL_CHANGED.
   */
  answer(id: string, answer: ApprovalAnswer): Promise<void>;
  /** The answer, as soon as anybody, in whatever process, has given one. Rejects with the signal's reason. */
  answered(id: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Whether one of `approvers` is watching stored questions, so that a call may wait for their answer. @default nobody is */
  watched?(approvers: readonly string[]): MaybePromise<boolean>;
  /** Uses a yes up: true for exactly one caller, once. */
  claim(id: string, callId: string): Promise<boolean>;
  /**
   * The newest yes to exactly this call, by one of `approvers`, that was not used and has not expired, with what it was
   * offered to stand for. What one who may not answer this caller's questions said to another's is none.
   */
  find(key: CallKey, approvers: readonly string[]): Promise<FoundAnswer | undefined>;
  /**
   * The call that waited for the answer to this question was cancelled. Unless another waits for it too, it says so
   * from then on; one whose answer no other call can use expires.
   */
  leave(question: Approval): Promise<void>;
}

/** An answer that waits for its call. */
export interface FoundAnswer {
  /** The id of the question. */
  readonly id: string;
  readonly answer: ApprovalAnswer;
  readonly offers: readonly GrantOffer[];
}

/** The call that an answer is for: another call differs in at least one of these. */
export interface CallKey {
  readonly scope: string;
  readonly agentId: string | undefined;
  /** User that the call is made for. An answer for one user does not hold for another. */
  readonly userId?: string | undefined;
  /** Caller and session as the channel identifies them. A yes to one call holds for them only; a grant states its own reach. */
  readonly caller?: CallerKey | undefined;
  readonly toolName: string;
  readonly toolVersion: string;
  readonly params: unknown;
  /** All that the call will do: the same arguments mean other files in another folder. */
  readonly effects: readonly Effect[];
  /** Folders that the call may work in. */
  readonly allowedPaths: readonly string[];
  /** Folder in which relative paths and commands start. @default the first of `allowedPaths` */
  readonly workingFolder?: string | undefined;
}

/** The caller, as far as its channel identifies it. */
export interface CallerKey {
  readonly principal?: string | undefined;
  readonly session?: string | undefined;
}

/** The call that remembered answers are sought for. */
export interface GrantKey extends CallKey {
  /** The caller's session, where its channel has sessions; else the program's life is one. */
  readonly session: string | undefined;
  /** How long the rules that ask let an answer last: `session` passes over those for good. */
  readonly longest: Remembrance;
  /** Those of its effects that need an answer; a grant by patterns has to cover each. */
  readonly asked: readonly Effect[];
  /** A rule requires an answer to exactly this call, so no grant by patterns covers it. */
  readonly exactOnly?: true;
}

/** A yes to be remembered, as {@link Grants} are given it. */
export interface NewGrant {
  readonly key: GrantKey;
  /** Absent: exactly this call. */
  readonly patterns?: readonly EffectPattern[];
  readonly term: GrantTerm;
  readonly by: string;
  /** Origin of the call that was answered. */
  readonly origin?: Origin | undefined;
  /** The project folder of that call. */
  readonly project?: string | undefined;
}

/** Remembered answers. */
export interface Grants {
  /**
   * The ids of the grants that together cover the call; undefined where something is left. Each is counted as used,
   * but for a `peek`.
   */
  find(key: GrantKey, options?: { readonly peek?: boolean }): Promise<readonly string[] | undefined>;
  /** Remembers a yes, and returns the id of the grant. */
  add(grant: NewGrant): Promise<string>;
  /** Why the call is asked about although something like it was allowed before: a changed version, an end, a near miss. */
  whyNot(key: GrantKey): Promise<string | undefined>;
}
