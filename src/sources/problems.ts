import type { SourceErrorCode } from "./errors.ts";
import type { Place } from "./placed-document.ts";
import type { SourceProblem } from "./source.ts";

/** A problem of a file. A warning leaves the tool in use. */
export interface FileProblem extends SourceProblem {
  readonly level: "error" | "warning";
}

/** What is wrong in one file, as it is read. */
export class Problems {
  readonly #where: string;
  readonly #found: FileProblem[] = [];

  constructor(where: string) {
    this.#where = where;
  }

  error(code: SourceErrorCode, message: string, place?: Place): void {
    this.#found.push({ where: this.#where, ...place, code, message, level: "error" });
  }

  warn(code: SourceErrorCode, message: string, place?: Place): void {
    this.#found.push({ where: this.#where, ...place, code, message, level: "warning" });
  }

  get hasErrors(): boolean {
    return this.#found.some(({ level }) => level === "error");
  }

  /** In the order of the file. */
  list(): readonly FileProblem[] {
    return this.#found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }
}
