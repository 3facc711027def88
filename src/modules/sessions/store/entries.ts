import type { Json } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import type { AssistantMessage, ImagePart, TextPart } from "../../../model/index.ts";

/** What an entry says, by kind. */
export type EntryContent =
  | UserEntry
  | AnswerEntry
  | ResultEntry
  | NoteEntry
  | SummaryEntry
  | PruneEntry
  | ParkedEntry
  | InterruptEntry;

/** One of the kinds of entries. */
export type EntryKind = EntryContent["kind"];

/** What a person, or another agent, wrote. */
export interface UserEntry {
  readonly kind: "user";
  /** Who wrote it, where that is not the session's own user. */
  readonly sender?: string;
  readonly parts: readonly (TextPart | ImagePart)[];
}

/** What the model answered in one step. */
export interface AnswerEntry {
  readonly kind: "answer";
  /** The step of the run, from 1: a call's id is `<run>.<step>.<position from 1>`. */
  readonly step: number;
  /** The id of the model. */
  readonly model: string;
  readonly stop: "end" | "calls" | "length" | "refused";
  readonly message: AssistantMessage;
  /** The size of the request that it answers, as the provider counted it. */
  readonly inputTokens?: number;
}

/** How one call of an answer ended. */
export interface ResultEntry {
  readonly kind: "result";
  readonly callId: string;
  readonly name: string;
  /** What the model reads. */
  readonly text: string;
  readonly images?: readonly ImagePart[];
  readonly failed: boolean;
  /** The error code of a failure. */
  readonly code?: string;
  /** The whole output, where `text` is a part of it. */
  readonly artifactId?: string;
  /** The exit code of the command that the call ran, if it ran one to its end. */
  readonly exitCode?: number;
  /** Length of the beginning of `text` that holds notes of the gate; absent where it has none. */
  readonly notesLength?: number;
  /** The hosts that the call connected to. */
  readonly hosts?: readonly string[];
}

/** A note to the agent that no person wrote: the time, a memory, new tools, a limit that is near. */
export interface NoteEntry {
  readonly kind: "note";
  /** The subject, such as `time` or `repetition`. */
  readonly about: string;
  readonly text: string;
  /** What its writer last told, to find later changes. The model does not see it. */
  readonly state?: Json;
}

/** What is shown in place of the entries before `keptFrom`. */
export interface SummaryEntry {
  readonly kind: "summary";
  readonly text: string;
  /** The `seq` of the first entry that is shown as it was, behind the summary. */
  readonly keptFrom: number;
  /** How many summaries came with next to nothing between them, this one counted. */
  readonly attempt: number;
  /** The hosts that the calls before it connected to. */
  readonly hosts?: readonly string[];
}

/** The results before an entry are shown as one line each from here on. */
export interface PruneEntry {
  readonly kind: "prune";
  /** The `seq` of the first entry whose results are shown whole. */
  readonly before: number;
}

/** The run, or a call of it, waits for something outside, and no process is kept for it. */
export interface ParkedEntry {
  readonly kind: "parked";
  /** The call that waits. Absent where the run itself does, for a time at which its model can be asked. */
  readonly callId?: string;
  /** `approval:<id>`, `run:<id>`, `halt:<id of a run>` or `time:<Unix ms>`. */
  readonly waitFor: string;
}

/** The run was interrupted here: calls of the last answer that have no result are not made. */
export interface InterruptEntry {
  readonly kind: "interrupt";
  /** Who interrupted: a user, a schedule, the parent run. */
  readonly sender: string;
}

/** One entry of a session. */
export type Entry = EntryContent & EntryFacts;

/** What is known of every entry. */
export interface EntryFacts {
  /** Counts up from 1 within the session, without a gap. */
  readonly seq: number;
  readonly epoch: number;
  readonly runId: string;
  /** How many tokens it has in a request, about. */
  readonly tokens: number;
  readonly trust: Trust;
  /** Whether it may hold what was read or worked out on this machine. */
  readonly private: boolean;
  readonly at: number;
}

/** An entry to be appended. */
export type NewEntry = EntryContent & {
  /** @default 0 */
  readonly tokens?: number;
  /** @default "trusted" */
  readonly trust?: Trust;
  /** @default false */
  readonly private?: boolean;
};
