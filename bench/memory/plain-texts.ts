/** Sentences of words whose shares fall as those of a language do, the same in every run. */
export class PlainTexts {
  readonly #words: readonly string[];
  readonly #sums: readonly number[];

  constructor(words = 20_000) {
    const syllables = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za".split(" ");
    this.#words = Array.from({ length: words }, (_, at) => {
      const parts = [at % 20, Math.floor(at / 20) % 20, Math.floor(at / 400) % 20, Math.floor(at / 8000)];
      return parts.map((part) => syllables[part] ?? "").join("");
    });
    let sum = 0;
    this.#sums = this.#words.map((_, at) => (sum += 1 / (at + 10)));
  }

  /** Eighteen words: a turn of a conversation without its words of grammar and with them. */
  text(at: number): string {
    return this.#sentence(at, 18);
  }

  question(at: number): string {
    return `What about ${this.#sentence(at + 1e9, 5)}?`;
  }

  #sentence(at: number, length: number): string {
    let state = (at * 2_654_435_761 + 1) >>> 0;
    const next = () => {
      state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
      return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
    };
    return Array.from({ length }, () => this.#words[this.#findIndex(next() * (this.#sums.at(-1) ?? 0))]).join(
      " ",
    );
  }

  #findIndex(sum: number): number {
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle] ?? 0) < sum) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
