import { type CodeKernel, pageBytes } from "./kernel/code-kernel.ts";
import { createJsKernel } from "./kernel/js-kernel.ts";
import { createWasmKernel } from "./kernel/wasm-kernel.ts";

const leastPages = 16;

/** The kernel's memory, given out by the page. What is given back is used again; the memory itself does not shrink. */
export class CodeMemory {
  readonly kernel: CodeKernel;
  readonly #free: number[] = [];
  #pages: number;

  constructor(kernel: CodeKernel = createWasmKernel() ?? createJsKernel()) {
    this.kernel = kernel;
    this.#pages = kernel.bytes().length / pageBytes;
  }

  get pagesInUse(): number {
    return this.#pages - this.#free.length - 1;
  }

  /** The address of a page, with whatever it held before. The first page is never given out. */
  take(): number {
    if (this.#free.length === 0) this.#grow();
    return this.#free.pop() as number;
  }

  giveBack(page: number): void {
    this.#free.push(page);
  }

  /** Grows by a quarter: where growing means copying, each byte is copied a few times in all. */
  #grow(): void {
    const more = Math.max(leastPages, this.#pages >> 2);
    this.kernel.grow(more);
    for (let page = this.#pages + more - 1; page >= this.#pages; page--) this.#free.push(page * pageBytes);
    this.#pages += more;
  }
}
