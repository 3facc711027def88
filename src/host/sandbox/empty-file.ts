import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A file with nothing in it, to be laid over others. It is made when first needed, and again should somebody clean up. */
export class EmptyFile {
  #path: string | undefined;
  readonly #onExit = () => this.remove();

  get path(): string {
    if (this.#path !== undefined && existsSync(this.#path)) return this.#path;
    if (this.#path === undefined) process.once("exit", this.#onExit);
    this.#path = join(mkdtempSync(join(tmpdir(), "haft-empty-")), "empty");
    writeFileSync(this.#path, "", { mode: 0o444 });
    return this.#path;
  }

  remove(): void {
    process.off("exit", this.#onExit);
    if (this.#path !== undefined) rmSync(dirname(this.#path), { recursive: true, force: true });
    this.#path = undefined;
  }
}
