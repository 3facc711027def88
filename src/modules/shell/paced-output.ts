/** A reader sees this as at once, and a command that prints byte by byte does not flood those who listen. */
const paceMs = 50;

/** Hands on pieces of output joined, at most every 50 ms, and the last when disposed of. */
export class PacedOutput implements Disposable {
  readonly #show: (text: string) => void;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  push(text: string): void {
    this.#pending += text;
    if (this.#timer !== undefined) return;
    this.#flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, paceMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#flush();
  }

  #flush(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#show(text);
  }
}
