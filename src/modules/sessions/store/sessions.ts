import type { Json } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import type { Entry, EntryKind, UserEntry } from "./entries.ts";
import type { Run } from "./runs.ts";

/** When a waiting message is read: at the next step, once the answer is there, or at once, ending what runs. */
export const inboxOrders = ["steer", "queue", "interrupt"] as const;

/** One of {@link inboxOrders}. */
export type InboxOrder = (typeof inboxOrders)[number];

/** One conversation of one agent: an append-only list of entries. */
export interface Session {
  readonly id: string;
  readonly scope: string;
  readonly agentId: string;
  /** The channel that it takes place in: `terminal`, `telegram`, … */
  readonly channel: string;
  /** Its place in that channel. An agent has one session at each. */
  readonly address: string;
  readonly title: string | undefined;
  /** The epoch that new entries belong to; 0 before the first. */
  readonly epoch: number;
  /** The newest entry's `seq`; 0 before the first. */
  readonly lastSeq: number;
  /** `untrusted` once one of its entries is. */
  readonly trust: Trust;
  readonly createdAt: number;
  /** When its last entry came. */
  readonly changedAt: number;
}

/** The session to open. It is made if the agent has none at this address. */
export interface NewSession {
  readonly scope: string;
  readonly agentId: string;
  readonly channel: string;
  /** @default an address of its own */
  readonly address?: string;
  readonly title?: string;
}

/** What a copy of a session has. */
export interface SessionCopy {
  /** The `seq` of the last entry that is copied. @default the newest */
  readonly upTo?: number;
  /** The channel that people use it in. @default that of the session */
  readonly channel?: string;
}

/** The part of a request that stays the same to the byte while an epoch lasts. */
export interface Epoch {
  readonly n: number;
  /** The instructions and tools, as the agent wrote them down. */
  readonly prefix: Json;
  readonly beganAt: number;
}

/** A message for a session. It is stored before its arrival is confirmed. */
export interface NewMessage {
  readonly scope: string;
  readonly sessionId: string;
  readonly sender: string;
  readonly parts: UserEntry["parts"];
  /** @default "steer" */
  readonly how?: InboxOrder;
  /** @default "trusted" */
  readonly trust?: Trust;
  /** The channel it came by and its id there: the same message is kept once. */
  readonly external?: { readonly channel: string; readonly id: string };
}

/** A message that waits to be read. */
export interface WaitingMessage {
  readonly id: string;
  readonly sender: string;
  /** The channel that it came by. Absent for one that was written here. */
  readonly channel?: string;
  readonly parts: UserEntry["parts"];
  readonly how: InboxOrder;
  readonly trust: Trust;
  readonly at: number;
  /** The call whose result shows it already: once that is an entry, the message is not shown again. */
  readonly shownBy?: string;
}

/** The channel of messages in which a task says how it ended. Its result is data for the reader, and no request. */
export const taskChannel = "task";

/** Which sessions to list. */
export interface SessionQuery {
  readonly scope: string;
  readonly agentId?: string;
  readonly channel?: string;
  /** Not those of these channels. @default [] */
  readonly exceptChannels?: readonly string[];
  /** Their place in the channel. Each agent has at most one there. */
  readonly address?: string;
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
}

/** Which entries to read. */
export interface EntryQuery {
  /** Only those of this epoch. */
  readonly epoch?: number;
  /** Only those after this `seq`. */
  readonly after?: number;
  /** At most so many, the oldest first. @default all */
  readonly limit?: number;
  /** Only those of this kind. */
  readonly kind?: EntryKind;
  /** Only those of this run. */
  readonly runId?: string;
  /** Only this many of the newest, in their order. @default all */
  readonly newest?: number;
}

/** Conversations: what was said in them, and what waits to be read. */
export interface Sessions {
  /** The agent's session at this address; made if there is none. */
  open(session: NewSession): Promise<Session>;
  get(scope: string, id: string): Promise<Session | undefined>;
  /** The one that changed last comes first. */
  list(query: SessionQuery): Promise<readonly Session[]>;
  rename(scope: string, id: string, title: string): Promise<boolean>;
  /** Copies a session into a new one. Undefined if there is no such session. */
  fork(scope: string, id: string, copy?: SessionCopy): Promise<Session | undefined>;
  /**
   * Deletes a session with its entries, runs and messages. False where there is no such session.
   *
   * @throws {SessionError} SESSION_BUSY: a process has a run of it.
   */
  delete(scope: string, id: string): Promise<boolean>;

  /** The entries of a session, in their order. */
  entries(scope: string, sessionId: string, query?: EntryQuery): Promise<readonly Entry[]>;
  /** What a model is shown: the newest summary, the entries that it kept, and what came after it. */
  shown(scope: string, sessionId: string): Promise<readonly Entry[]>;
  /** Undefined where the session has not begun one of this number. */
  epoch(scope: string, sessionId: string, n: number): Promise<Epoch | undefined>;
  /**
   * The worst trust of all that the model of a run was shown or told. What it says may be made of any of it: a paraphrase
   * can't be traced. Untrusted where the session is gone.
   */
  shownTrust(run: Pick<Run, "scope" | "sessionId" | "trust">): Promise<Trust>;
  /**
   * The trust that a run's calls were made with in the end: the worst of its own and of the messages that it has taken in.
   * What goes on with its work answers the same messages.
   */
  takenTrust(run: Pick<Run, "scope" | "sessionId" | "id" | "trust">): Promise<Trust>;

  /**
   * Keeps a message until a run takes it. Undefined where the same message of its channel was kept before.
   *
   * @throws {SessionError} SESSION_NOT_FOUND.
   */
  post(message: NewMessage): Promise<WaitingMessage | undefined>;
  /** Messages that no run has taken, in the order they came. */
  waiting(scope: string, sessionId: string): Promise<readonly WaitingMessage[]>;
}
