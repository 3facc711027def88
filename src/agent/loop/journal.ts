import type { Clock, Json, MaybePromise } from "../../base/index.ts";
import type { CallLease, SeenText, Trust } from "../../kernel/index.ts";
import type { ChatRequest } from "../../model/index.ts";
import type {
  ClaimedRun,
  Entry,
  NewEntry,
  NewMessage,
  Runs,
  SessionChange,
  Sessions,
  WaitingMessage,
} from "../../modules/sessions/index.ts";
import { ShownEntries } from "./shown-entries.ts";

/**
 * The part of a request that stays the same to the byte during an epoch, since providers cache the beginning of a
 * request.
 */
export interface Prefix extends Pick<ChatRequest, "tools"> {
  /** The id of the model that it was made for. */
  readonly model: string;
  readonly system: readonly PrefixPart[];
  /** The handle of the interaction that listed its tools. @default nothing was loaded */
  readonly handle?: string;
  /** The memories in its instructions, each with its own trust, as the gate is told of them. @default none */
  readonly seen?: readonly SeenText[];
}

/** One part of the instructions. */
export type PrefixPart = ChatRequest["system"][number] & {
  /** The subject of the notes that tell of a change of it. @default it does not change */
  readonly about?: string;
};

/** A change that a run writes: a {@link SessionChange} with a prefix of this form. */
export interface JournalChange extends Omit<SessionChange, "prefix"> {
  /** Begins an epoch. */
  readonly prefix?: Prefix;
}

/** The entries of one session, as the run that writes them sees them. */
export interface Journal {
  readonly runId: string;
  /** What the process has the run by. @default it is in this process alone */
  readonly lease?: CallLease;
  readonly sessionId: string;
  /** The prefix of the epoch; undefined before the first. */
  readonly prefix: Prefix | undefined;
  /** The number of the epoch; 0 before the first. */
  readonly epoch: number;
  /** What a model is shown. Grows with each {@link write}. */
  readonly shown: ShownEntries;
  /** The entries of {@link shown}. */
  readonly entries: readonly Entry[];
  /** How many answers the run has had. */
  readonly steps: number;
  /** The worst trust of the messages that the run has taken in, with those that a summary has replaced. */
  readonly trust: Trust;
  /** Users' messages that a summary has replaced. */
  listReplaced(): Promise<readonly Entry[]>;
  /** The messages that wait to be read. */
  waiting(): MaybePromise<readonly WaitingMessage[]>;
  /** Writes the whole change or nothing. Rejects once this process no longer has the run. */
  write(change: JournalChange): MaybePromise<void>;
}

/** A {@link Journal} in the store: it survives whoever writes it. */
export class StoredJournal implements Journal {
  readonly #sessions: Sessions;
  readonly #runs: Runs;
  readonly #run: ClaimedRun;
  readonly shown: ShownEntries;
  #prefix: Prefix | undefined;
  #epoch: number;
  #steps: number;
  #trust: Trust;

  private constructor(
    { sessions, runs }: { readonly sessions: Sessions; readonly runs: Runs },
    run: ClaimedRun,
    { prefix, epoch, entries }: Pick<Journal, "prefix" | "epoch" | "entries">,
  ) {
    this.#sessions = sessions;
    this.#runs = runs;
    this.#run = run;
    this.#prefix = prefix;
    this.#epoch = epoch;
    this.shown = new ShownEntries(entries);
    this.#steps = run.steps;
    this.#trust = findWorstTrust(entries, run.id);
  }

  static async open(
    store: { readonly sessions: Sessions; readonly runs: Runs },
    run: ClaimedRun,
  ): Promise<StoredJournal> {
    const { scope, sessionId } = run;
    const n = (await store.sessions.get(scope, sessionId))?.epoch ?? 0;
    const epoch = await store.sessions.epoch(scope, sessionId, n);
    const journal = new StoredJournal(store, run, {
      // Only `write` below writes epochs.
      prefix: epoch?.prefix as Prefix | undefined,
      epoch: n,
      entries: await store.sessions.shown(scope, sessionId),
    });
    journal.#heed(await journal.listReplaced());
    return journal;
  }

  get runId(): string {
    return this.#run.id;
  }

  get lease(): CallLease {
    const { scope, id, lease } = this.#run;
    return { scope, id, lease };
  }

  get sessionId(): string {
    return this.#run.sessionId;
  }

  get prefix(): Prefix | undefined {
    return this.#prefix;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get entries(): readonly Entry[] {
    return this.shown.entries;
  }

  get steps(): number {
    return this.#steps;
  }

  get trust(): Trust {
    return this.#trust;
  }

  async listReplaced(): Promise<readonly Entry[]> {
    const [summary] = this.entries;
    if (summary?.kind !== "summary") return [];
    const said = await this.#sessions.entries(this.#run.scope, this.#run.sessionId, { kind: "user" });
    return said.filter(({ seq }) => seq < summary.keptFrom);
  }

  waiting(): Promise<readonly WaitingMessage[]> {
    return this.#sessions.waiting(this.#run.scope, this.#run.sessionId);
  }

  async write({ prefix, ...change }: JournalChange): Promise<void> {
    const written = await this.#runs.write(this.#run, {
      ...change,
      ...(prefix !== undefined && { prefix: prefix as unknown as Json }),
    });
    if (prefix !== undefined) {
      this.#prefix = prefix;
      this.#epoch++;
    }
    this.shown.add(written);
    this.#heed(written);
    this.#steps = change.run?.steps ?? this.#steps;
  }

  #heed(entries: readonly Entry[]): void {
    this.#trust = findWorstTrust(entries, this.runId, this.#trust);
  }
}

/** A {@link Journal} in memory, for an agent that lives in one program. */
export class MemoryJournal implements Journal {
  readonly runId: string;
  readonly sessionId: string;
  readonly shown: ShownEntries;
  readonly #clock: Pick<Clock, "now">;
  #prefix: Prefix | undefined;
  #epoch = 0;
  #seq: number;
  #waiting: WaitingMessage[] = [];
  #posted = 0;
  steps = 0;
  trust: Trust;

  constructor(options: {
    readonly runId: string;
    readonly sessionId: string;
    /** Entries of the session before this run. @default nothing */
    readonly entries?: readonly Entry[];
    readonly clock: Pick<Clock, "now">;
  }) {
    this.runId = options.runId;
    this.sessionId = options.sessionId;
    this.#clock = options.clock;
    this.shown = new ShownEntries(options.entries ?? []);
    this.#seq = this.entries.reduce((last, { seq }) => Math.max(last, seq), 0);
    this.trust = findWorstTrust(this.entries, this.runId);
  }

  get prefix(): Prefix | undefined {
    return this.#prefix;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get entries(): readonly Entry[] {
    return this.shown.entries;
  }

  /** None: the gate was told of them by this process. */
  listReplaced(): Promise<readonly Entry[]> {
    return Promise.resolve([]);
  }

  /** The journal of the next run in the same session. */
  next(runId: string): MemoryJournal {
    const journal = new MemoryJournal({
      runId,
      sessionId: this.sessionId,
      entries: this.entries,
      clock: this.#clock,
    });
    journal.#prefix = this.#prefix;
    journal.#epoch = this.#epoch;
    journal.#waiting = this.#waiting;
    return journal;
  }

  /** Leaves a message for the run to read. */
  post({ sender, parts, how = "steer", trust = "trusted" }: Omit<NewMessage, "scope" | "sessionId">): void {
    const id = `i_${++this.#posted}`;
    this.#waiting.push({ id, sender, parts, how, trust, at: this.#clock.now() });
  }

  waiting(): MaybePromise<readonly WaitingMessage[]> {
    return this.#waiting;
  }

  write({ prefix, entries = [], taken = [], run }: JournalChange): MaybePromise<void> {
    if (prefix !== undefined) {
      this.#prefix = prefix;
      this.#epoch++;
    }
    const written = entries.map((entry) => this.#number(entry));
    this.shown.add(written);
    this.trust = findWorstTrust(written, this.runId, this.trust);
    if (taken.length > 0) this.#waiting = this.#waiting.filter(({ id }) => !taken.includes(id));
    this.steps = run?.steps ?? this.steps;
  }

  #number(entry: NewEntry): Entry {
    const { tokens = 0, trust = "trusted", private: isPrivate = false } = entry;
    return {
      ...entry,
      seq: ++this.#seq,
      epoch: this.#epoch,
      runId: this.runId,
      tokens,
      trust,
      private: isPrivate,
      at: this.#clock.now(),
    };
  }
}

/** The worst trust of the messages among a run's entries, and of what is known of earlier ones. */
function findWorstTrust(entries: readonly Entry[], runId: string, known: Trust = "trusted"): Trust {
  const isStrange = entries.some(
    (entry) => entry.kind === "user" && entry.runId === runId && entry.trust === "untrusted",
  );
  return isStrange ? "untrusted" : known;
}
