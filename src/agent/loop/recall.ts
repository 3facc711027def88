import type { MaybePromise } from "../../base/index.ts";
import type { CallContext, Seen, ToolExecutor } from "../../kernel/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import type { Journal, Prefix } from "./journal.ts";
import { listSeen } from "./seen-entries.ts";

const none: readonly Seen[] = [];

/** What is needed to tell the gate what a model is shown. */
export interface RecallParts {
  readonly journal: Journal;
  readonly executor: Pick<ToolExecutor, "recall" | "recalledUpTo">;
  /** The context of each call of the run. */
  readonly context: () => CallContext;
  /** The arguments as the tool takes them, of those that the model gave in its own form. @default as they are */
  readonly readArguments?: (toolName: string, given: unknown) => unknown;
}

/**
 * Tells the gate what the model is shown, each entry once and before the request that shows it. The gate remembers how far
 * it was told: a new process tells all of it again, the next run in the same process only what is new.
 */
export class Recall {
  readonly #parts: RecallParts;
  readonly #made = new Set<string>();
  #prefix: Prefix | undefined;
  #toldUpTo = 0;

  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  /** Notes that this process makes a call: the gate sees its arguments and its result by itself. */
  noteMade(callId: string): void {
    this.#made.add(callId);
  }

  /** Tells what was not told yet. */
  tell(): MaybePromise<void> {
    const { journal, executor } = this.#parts;
    const context = this.#parts.context();
    const upTo = executor.recalledUpTo(context, journal.sessionId);
    if (upTo < this.#toldUpTo) {
      // The gate has forgotten the conversation, with all that it saw itself.
      this.#made.clear();
      this.#prefix = undefined;
    }
    const isNew = upTo === 0 && journal.entries[0]?.kind === "summary";
    // What the user wrote before a summary is still the user's, whatever the summary is made of.
    return isNew ? this.#tellReplaced(context) : this.#tellFrom(upTo, context);
  }

  async #tellReplaced(context: CallContext): Promise<void> {
    this.#tellFrom(0, context, await this.#parts.journal.listReplaced());
  }

  #tellFrom(upTo: number, context: CallContext, replaced: readonly Entry[] = []): void {
    const { journal, executor, readArguments = (_, given) => given } = this.#parts;
    const { entries } = journal;
    // A summary comes first, whatever its number.
    const newest = Math.max(entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0);
    this.#toldUpTo = newest;
    const ofPrefix = this.#listSeenOfPrefix(upTo);
    if (newest <= upTo && ofPrefix.length === 0) return;
    const options = { upTo, made: this.#made, readArguments };
    const before = replaced.length === 0 ? none : listSeen(replaced, options);
    const seen = before.concat(ofPrefix, listSeen(entries, options));
    executor.recall(seen, context, newest, journal.sessionId);
  }

  /** The memories in the prefix, which came before the first entry of its epoch. */
  #listSeenOfPrefix(upTo: number): readonly Seen[] {
    const { prefix, epoch, entries } = this.#parts.journal;
    if (prefix === this.#prefix) return none;
    this.#prefix = prefix;
    const isTold = entries.some((entry) => entry.epoch === epoch && entry.seq <= upTo);
    return isTold ? none : (prefix?.seen ?? none);
  }
}
