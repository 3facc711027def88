import type { Source } from "./sources.ts";

interface Waiting<Conversation> {
  readonly conversation: Conversation;
  readonly texts: readonly string[];
  readonly source: Source;
  readonly chars: number;
}

/** Texts that need to be read only if something comes from outside later. Beyond the limit the oldest go. */
export class WaitingTexts<Conversation> {
  readonly #maxChars: number;
  #waiting: Waiting<Conversation>[] = [];
  #first = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(conversation: Conversation, texts: readonly string[], source: Source): void {
    let chars = 0;
    for (const text of texts) chars += text.length;
    this.#waiting.push({ conversation, texts, source, chars });
    this.#chars += chars;
    while (this.#chars > this.#maxChars || this.#waiting.length - this.#first > maxWaiting) this.#drop();
  }

  /** In the order in which they came. */
  take(conversation: Conversation): Waiting<Conversation>[] {
    const all = this.#waiting.slice(this.#first);
    const taken = all.filter((one) => one.conversation === conversation);
    if (taken.length === 0) return taken;
    this.#waiting = all.filter((one) => one.conversation !== conversation);
    this.#first = 0;
    for (const { chars } of taken) this.#chars -= chars;
    return taken;
  }

  #drop(): void {
    this.#chars -= this.#waiting[this.#first]?.chars ?? 0;
    this.#first++;
    if (this.#first < 1000) return;
    this.#waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
  }
}

/** Small texts cost more than their characters. */
const maxWaiting = 20_000;
