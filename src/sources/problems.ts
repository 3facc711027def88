import type { SkippedFile } from "../host/index.ts";
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

  /** The problems in the order of the file. */
  list(): readonly FileProblem[] {
    return this.#found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }
}

/** The problem of a file that is there and can't be read. */
export function unreadable({ path, reason }: SkippedFile): FileProblem {
  return fault(path, "SOURCE_UNREADABLE", `Cannot read "${path}": ${reason}`);
}

/** @param rest how it goes on until then */
export function notTrusted(path: string, rest = ""): FileProblem {
  const message = `Cannot use "${path}": it is not trusted as it is now; read it, then run \`haft trust\`${rest}`;
  return fault(path, "SOURCE_NOT_TRUSTED", message);
}

/** A module of an extension folder that is not where tools are looked for. */
export function misplaced(path: string): FileProblem {
  const message = `Cannot use "${path}": a tool in TypeScript lies in "agent/extensions/tools"; move it there`;
  return fault(path, "SOURCE_MISPLACED", message);
}

/** @param what as in `the tool "deploy"` */
export function nameTaken(where: string, what: string, why: string): FileProblem {
  return fault(where, "SOURCE_NAME_TAKEN", `Cannot use ${what}: ${why}`);
}

function fault(where: string, code: SourceErrorCode, message: string): FileProblem {
  return { where, code, message, level: "error" };
}
