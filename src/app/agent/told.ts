import type { Journal } from "../../agent/index.ts";
import type { Json } from "../../base/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";

/** The parts of a journal that say what the model was told. */
export type ToldJournal = Pick<Journal, "entries" | "epoch" | "prefix">;

/**
 * What the model was last told of each subject in the current epoch. It depends on the entries alone, so the process that
 * goes on with a run knows it too; each entry is read once.
 */
export class Told {
  readonly #states = new Map<string, Json>();
  /** The same, of earlier epochs too. */
  readonly #lastStates = new Map<string, Json>();
  #epoch = 0;
  #seen = 0;
  #needsTime = false;

  /** Reads the entries that are new. */
  read({ entries, epoch }: ToldJournal): void {
    if (epoch !== this.#epoch) this.#states.clear();
    this.#epoch = epoch;
    let from = entries.length;
    while (from > 0 && (entries[from - 1] as Entry).seq > this.#seen) from--;
    for (const entry of entries.slice(from)) this.#take(entry);
    this.#seen = Math.max(this.#seen, entries.at(-1)?.seq ?? 0);
  }

  /** The state of the newest note about a subject; undefined where the epoch has none. */
  state(about: string): Json | undefined {
    return this.#states.get(about);
  }

  /** The state of the newest note about a subject in any epoch that is still shown. */
  lastState(about: string): Json | undefined {
    return this.#lastStates.get(about);
  }

  /** Whether somebody has said something since the model was last told the time. */
  get needsTime(): boolean {
    return this.#needsTime;
  }

  #take(entry: Entry): void {
    if (entry.kind === "user" || (entry.kind === "note" && entry.about === "resumed")) this.#needsTime = true;
    if (entry.kind !== "note") return;
    if (entry.about === "time") this.#needsTime = false;
    if (entry.state === undefined) return;
    this.#lastStates.set(entry.about, entry.state);
    if (entry.epoch === this.#epoch) this.#states.set(entry.about, entry.state);
  }
}

/** The part of the instructions about a subject, as the epoch has it. */
export function readPart({ prefix }: ToldJournal, about: string): string {
  return prefix?.system.find((part) => part.about === about)?.text ?? "";
}
