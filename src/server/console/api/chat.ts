import type { AgentEvent } from "../../../agent/index.ts";
import type { FoundConversation } from "../../../app/views/index.ts";
import type { Entry, InboxOrder, Run, Session, WaitingMessage } from "../../../modules/sessions/index.ts";

/** A conversation in the list, as `haft sessions --json` has it. */
export type ListedSession = FoundConversation & { readonly run: Run | null };

/** Entries of a conversation, in their order. */
export interface EntriesPage {
  readonly session: Session;
  readonly run: Run | null;
  readonly rows: readonly Entry[];
  /** The `seq` of the newest entry there is. */
  readonly head: number;
  /** There are older ones than these. */
  readonly more: boolean;
  /** Messages that no run has read. */
  readonly waiting: readonly WaitingMessage[];
}

/** A file that is sent with a message: a text, a PDF or a picture. */
export interface SentFile {
  readonly name: string;
  /** Base64. */
  readonly data: string;
}

/** What a person says: a text, files, or both. */
export interface SaidBody {
  readonly text?: string;
  readonly files?: readonly SentFile[];
}

/** A run that was begun or goes on. */
export interface BegunRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** Events of a run that this program drives. */
export interface RunEvents {
  /** Pieces of one text that came together are one event. */
  readonly events: readonly AgentEvent[];
  /** What to ask for next. */
  readonly next: number;
  /** Events before these are gone: the entries have what they said. */
  readonly gap: boolean;
  /** No more events come. */
  readonly over: boolean;
}

export interface ChatApi {
  readonly "GET /chat/sessions": {
    readonly query: { readonly limit?: string };
    readonly answer: readonly ListedSession[];
  };
  /** The newest entries, those before a `seq`, or those after one. */
  readonly "GET /chat/sessions/:id": {
    readonly query: { readonly before?: string; readonly after?: string; readonly limit?: string };
    readonly answer: EntriesPage;
  };
  /** Says something in a conversation, or in a new one, and has the agent answer. */
  readonly "POST /chat/send": {
    readonly body: SaidBody & {
      readonly sessionId?: string;
      readonly agent?: string;
      /** The name of a model in the configuration. */
      readonly model?: string;
    };
    readonly answer: BegunRun;
  };
  /** Leaves a message for the run that is under way: it reads it at its next step, later, or at once. */
  readonly "POST /chat/sessions/:id/steer": {
    readonly body: SaidBody & { readonly how?: InboxOrder };
    readonly answer: { readonly kept: true };
  };
  readonly "POST /chat/sessions/:id/fork": {
    readonly body: { readonly upTo?: number };
    readonly answer: Session;
  };
  readonly "POST /chat/sessions/:id/rename": {
    readonly body: { readonly title: string };
    readonly answer: Session;
  };
  readonly "POST /chat/sessions/:id/delete": { readonly answer: { readonly deleted: true } };
  /** Has a run go on that paused, or that no program drives any more. */
  readonly "POST /chat/runs/:id/resume": {
    readonly body: { readonly more?: number; readonly usd?: number };
    readonly answer: BegunRun;
  };
  /** Interrupts a run that this program drives. */
  readonly "POST /chat/runs/:id/interrupt": { readonly answer: { readonly interrupted: boolean } };
  /** Waits up to 20 s for events after a number; 0 for all. */
  readonly "GET /chat/runs/:id/events": {
    readonly query: { readonly after?: string };
    readonly answer: RunEvents;
  };
}
