import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Private files that are laid over others. Their folder is made when first needed, and again should somebody clean up. */
export class CoverFiles {
  #folder: string | undefined;
  #count = 0;
  readonly #onExit = () => this.remove();

  /** A file with nothing in it. */
  get empty(): string {
    return this.keep("empty", "");
  }

  /** A file for all commands, made when first needed. Returns its path. */
  keep(name: string, content: string | Uint8Array): string {
    const path = join(this.#open(), name);
    if (!existsSync(path)) writeFileSync(path, content, { mode: 0o444 });
    return path;
  }

  /** A new file for one command. Returns its path, and what removes it. */
  make(content: string | Uint8Array): { readonly path: string; readonly remove: () => void } {
    const path = join(this.#open(), String(++this.#count));
    writeFileSync(path, content, { mode: 0o444, flag: "wx" });
    return { path, remove: () => rmSync(path, { force: true }) };
  }

  remove(): void {
    process.off("exit", this.#onExit);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #open(): string {
    if (this.#folder !== undefined && existsSync(this.#folder)) return this.#folder;
    if (this.#folder === undefined) process.once("exit", this.#onExit);
    // Only this user may enter a folder made so.
    this.#folder = mkdtempSync(join(tmpdir(), "haft-cover-"));
    return this.#folder;
  }
}
