import type { Clock, Json } from "../../base/index.ts";
import type { ChatRequest } from "../../model/index.ts";
import type {
  ClaimedRun,
  Entry,
  NewMessage,
  Runs,
  SessionChange,
  Sessions,
  WaitingMessage,
} from "../../modules/sessions/index.ts";

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
  readonly sessionId: string;
  /** The prefix of the epoch; undefined before the first. */
  readonly prefix: Prefix | undefined;
  /** The number of the epoch; 0 before the first. */
  readonly epoch: number;
  /** What a model is shown, in order: a summary comes before what it kept. Grows with each {@link write}. */
  readonly entries: readonly Entry[];
  /** How many answers the run has had. */
  readonly steps: number;
  /** The messages that wait to be read. */
  waiting(): Promise<readonly WaitingMessage[]>;
  /** Writes the whole change or nothing. Rejects once this process no longer has the run. */
  write(change: JournalChange): Promise<void>;
}

/** A {@link Journal} in the store: it survives whoever writes it. */
export class StoredJournal implements Journal {
  readonly #sessions: Sessions;
  readonly #runs: Runs;
  readonly #run: ClaimedRun;
  #prefix: Prefix | undefined;
  #epoch: number;
  #entries: Entry[];
  #steps: number;

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
    this.#entries = [...entries];
    this.#steps = run.steps;
  }

  static async open(
    store: { readonly sessions: Sessions; readonly runs: Runs },
    run: ClaimedRun,
  ): Promise<StoredJournal> {
    const { scope, sessionId } = run;
    const n = (await store.sessions.get(scope, sessionId))?.epoch ?? 0;
    const epoch = await store.sessions.epoch(scope, sessionId, n);
    return new StoredJournal(store, run, {
      // Only `write` below writes epochs.
      prefix: epoch?.prefix as Prefix | undefined,
      epoch: n,
      entries: await store.sessions.shown(scope, sessionId),
    });
  }

  get runId(): string {
    return this.#run.id;
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
    return this.#entries;
  }

  get steps(): number {
    return this.#steps;
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
    this.#entries = showEntries(this.#entries, written);
    this.#steps = change.run?.steps ?? this.#steps;
  }
}

/** A {@link Journal} in memory, for an agent that lives in one program. */
export class MemoryJournal implements Journal {
  readonly runId: string;
  readonly sessionId: string;
  readonly #clock: Pick<Clock, "now">;
  #prefix: Prefix | undefined;
  #entries: Entry[];
  #epoch = 0;
  #seq: number;
  #waiting: WaitingMessage[] = [];
  #posted = 0;
  steps = 0;

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
    this.#entries = [...(options.entries ?? [])];
    this.#seq = Math.max(0, ...this.#entries.map(({ seq }) => seq));
  }

  get prefix(): Prefix | undefined {
    return this.#prefix;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The journal of the next run in the same session. */
  next(runId: string): MemoryJournal {
    const journal = new MemoryJournal({
      runId,
      sessionId: this.sessionId,
      entries: this.#entries,
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

  waiting(): Promise<readonly WaitingMessage[]> {
    return Promise.resolve(this.#waiting);
  }

  write({ prefix, entries = [], taken = [], run }: JournalChange): Promise<void> {
    if (prefix !== undefined) {
      this.#prefix = prefix;
      this.#epoch++;
    }
    this.#entries = showEntries(
      this.#entries,
      entries.map(({ tokens = 0, trust = "trusted", private: isPrivate = false, ...content }) => ({
        ...content,
        seq: ++this.#seq,
        epoch: this.#epoch,
        runId: this.runId,
        tokens,
        trust,
        private: isPrivate,
        at: this.#clock.now(),
      })),
    );
    this.#waiting = this.#waiting.filter(({ id }) => !taken.includes(id));
    this.steps = run?.steps ?? this.steps;
    return Promise.resolve();
  }
}

/** The shown entries after a write: a new summary comes first, and the entries that it replaces are left out. */
function showEntries(shown: Entry[], written: readonly Entry[]): Entry[] {
  const summary = written.findLast((entry) => entry.kind === "summary");
  if (summary === undefined) {
    shown.push(...written);
    return shown;
  }
  const kept = [...shown, ...written].filter(
    (entry) => entry.kind !== "summary" && entry.seq >= summary.keptFrom,
  );
  return [summary, ...kept];
}
