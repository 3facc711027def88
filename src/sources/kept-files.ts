import type { SourceFile } from "../host/index.ts";
import { type FileProblem, notTrusted } from "./problems.ts";

export interface ReadFile<Value> {
  /** Undefined where the file can't be used. */
  readonly value: Value | undefined;
  readonly problems: readonly FileProblem[];
}

interface Kept<Value> extends ReadFile<Value> {
  readonly text: string;
  readonly accepted: boolean;
}

export interface KeptFilesOptions<Value> {
  readonly read: (file: SourceFile) => ReadFile<Value>;
  readonly accepts: (file: { readonly path: string; readonly text: string }) => boolean;
}

/** What each file says, or said when it last could be used. Read anew only where its text has changed. */
export class KeptFiles<Value> {
  readonly #options: KeptFilesOptions<Value>;
  #kept = new Map<string, Kept<Value>>();

  constructor(options: KeptFilesOptions<Value>) {
    this.#options = options;
  }

  /** Takes what is there now; a file that has gone is forgotten. */
  update(files: readonly SourceFile[]): void {
    this.#kept = new Map(files.map((file) => [file.path, this.#take(file)]));
  }

  values(): readonly Value[] {
    return Array.from(this.#kept.values()).flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  problems(): readonly FileProblem[] {
    return Array.from(this.#kept.values()).flatMap(({ problems }) => problems);
  }

  #take(file: SourceFile): Kept<Value> {
    const { path, text } = file;
    const before = this.#kept.get(path);
    const accepted = this.#options.accepts({ path, text });
    if (before?.text === text && before.accepted === accepted) return before;
    const last = before?.value;
    if (!accepted) return { text, accepted, value: last, problems: [notTrusted(path, last && goesOn)] };
    const { value, problems } = this.#options.read(file);
    if (value !== undefined || last === undefined) return { text, accepted, value, problems };
    return { text, accepted, value: last, problems: problems.map(withLast) };
  }
}

const goesOn = "; until then it stays as it was before";

function withLast(problem: FileProblem): FileProblem {
  return problem.level === "error" ? { ...problem, message: problem.message + goesOn } : problem;
}
