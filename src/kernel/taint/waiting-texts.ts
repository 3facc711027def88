import type { Source } from "./sources.ts";

interface Waiting {
  /** A text, or a value with texts in it. */
  readonly value: unknown;
  readonly source: Source;
}

/** A slot for one value, reused once that value is removed. */
interface Slot<Conversation> {
  conversation: Conversation | undefined;
  value: unknown;
  source: Source | undefined;
  chars: number;
}

/** The most values that wait: small ones cost more than their characters. */
export const mostWaiting = 1024;

/** What needs to be read only if something comes from outside later. Beyond the limits the oldest goes. */
export class WaitingTexts<Conversation> {
  readonly #maxChars: number;
  /** A ring: the one added as number `n` stands at `n % mostWaiting`. */
  readonly #slots: Slot<Conversation>[] = [];
  #first = 0;
  #next = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(conversation: Conversation, value: unknown, source: Source): void {
    const chars = Math.min(charsIn(value, 0), this.#maxChars);
    if (this.#next - this.#first === mostWaiting) this.#drop();
    const at = this.#next++ % mostWaiting;
    const slot = this.#slots[at];
    if (slot === undefined) this.#slots[at] = { conversation, value, source, chars };
    else {
      slot.conversation = conversation;
      slot.value = value;
      slot.source = source;
      slot.chars = chars;
    }
    this.#chars += chars;
    while (this.#chars > this.#maxChars) this.#drop();
  }

  /** Takes the texts in the order in which they came. */
  take(conversation: Conversation): Waiting[] {
    const taken: Waiting[] = [];
    for (let at = this.#first; at < this.#next; at++) {
      const slot = this.#slots[at % mostWaiting];
      if (slot?.source === undefined || slot.conversation !== conversation) continue;
      taken.push({ value: slot.value, source: slot.source });
      this.#empty(slot);
    }
    return taken;
  }

  #drop(): void {
    const slot = this.#slots[this.#first++ % mostWaiting];
    if (slot !== undefined) this.#empty(slot);
  }

  #empty(slot: Slot<Conversation>): void {
    this.#chars -= slot.chars;
    slot.conversation = undefined;
    slot.value = undefined;
    slot.source = undefined;
    slot.chars = 0;
  }
}

/** A value with more parts, or deeper, weighs as much as may wait at all. */
const mostParts = 1000;
const maxDepth = 8;

function charsIn(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (depth === maxDepth) return Number.POSITIVE_INFINITY;
  let chars = 0;
  let parts = 0;
  for (const key in value) {
    if (++parts > mostParts) return Number.POSITIVE_INFINITY;
    chars += charsIn((value as Record<string, unknown>)[key], depth + 1);
  }
  return chars;
}
