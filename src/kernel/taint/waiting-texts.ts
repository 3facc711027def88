import type { Source } from "./sources.ts";

interface Waiting<Conversation> {
  readonly conversation: Conversation;
  /** A text, or a value with texts in it. */
  readonly value: unknown;
  readonly source: Source;
  readonly chars: number;
}

/** Small values cost more than their characters. */
const maxWaiting = 1024;

/** What needs to be read only if something comes from outside later. Beyond the limits the oldest goes. */
export class WaitingTexts<Conversation> {
  readonly #maxChars: number;
  /** A ring: the one added as number `n` stands at `n % maxWaiting`. */
  readonly #waiting: (Waiting<Conversation> | undefined)[] = [];
  #first = 0;
  #next = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(conversation: Conversation, value: unknown, source: Source): void {
    const chars = Math.min(charsIn(value, 0), this.#maxChars);
    if (this.#next - this.#first === maxWaiting) this.#drop();
    this.#waiting[this.#next++ % maxWaiting] = { conversation, value, source, chars };
    this.#chars += chars;
    while (this.#chars > this.#maxChars) this.#drop();
  }

  /** Takes the texts in the order in which they came. */
  take(conversation: Conversation): Waiting<Conversation>[] {
    const taken: Waiting<Conversation>[] = [];
    for (let at = this.#first; at < this.#next; at++) {
      const one = this.#waiting[at % maxWaiting];
      if (one?.conversation !== conversation) continue;
      taken.push(one);
      this.#waiting[at % maxWaiting] = undefined;
      this.#chars -= one.chars;
    }
    return taken;
  }

  #drop(): void {
    const at = this.#first++ % maxWaiting;
    this.#chars -= this.#waiting[at]?.chars ?? 0;
    this.#waiting[at] = undefined;
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
