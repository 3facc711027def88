import type { ToolUpdate } from "../kernel/index.ts";

/** Hands the updates of a running call to one reader, in their order, until {@link UpdateQueue.end}. */
export class UpdateQueue {
  readonly #waiting: ToolUpdate[] = [];
  #ended = false;
  #wake: () => void = () => {};

  readonly push = (update: ToolUpdate): void => {
    this.#waiting.push(update);
    this.#wake();
  };

  readonly end = (): void => {
    this.#ended = true;
    this.#wake();
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<ToolUpdate, void> {
    while (true) {
      const update = this.#waiting.shift();
      if (update !== undefined) yield update;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
