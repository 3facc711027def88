/** How long a call waited for its locks and its slot. */
export interface TurnWait {
  readonly ms: number;
  /** The time from the beginning of the call to the beginning of the wait. */
  readonly afterMs: number;
}

/** The note of the ledger about a wait. */
export function toWaitNote({ ms, afterMs }: TurnWait): string {
  return `waited: ${ms} ms for its turn, ${afterMs} ms after it began`;
}

/** Reads a note of the ledger; undefined if it is about something else. */
export function readWaitNote(note: string): TurnWait | undefined {
  const found = /^waited: (\d+) ms for its turn, (\d+) ms after it began$/.exec(note);
  return found === null ? undefined : { ms: Number(found[1]), afterMs: Number(found[2]) };
}
