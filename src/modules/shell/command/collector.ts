import { posix } from "node:path";
import type { CommandAnalysis, CommandPart, FileUse, FileUseKind, RoutineTerms } from "./analysis.ts";
import { type Argument, quoteAll } from "./syntax/word.ts";

/** More folders than this can't be told apart; the change of folder then asks. */
const mostFolders = 16;

/** Texts of nested parts repeat one another. Past this many characters, long ones are no longer kept. */
const mostChars = 4_000_000;
const mostCutChars = 1000;

export interface PartFacts {
  readonly opaque?: string;
  readonly aliases?: readonly string[];
  readonly uses?: readonly FileUse[];
  readonly routine?: RoutineTerms | undefined;
  readonly against?: string | undefined;
}

/** Gathers what a command line would do while it is read. Equal things are kept once. */
export class Collector {
  readonly #parts = new Map<string, CommandPart>();
  readonly #files = new Map<string, FileUse>();
  readonly #folders = new Set([""]);
  readonly #programs = new Set<string>();
  readonly #line: string;
  #chars = 0;

  /** @param line all of it, for what can't be told by parts */
  constructor(line: string) {
    this.#line = line;
  }

  addPart(words: readonly Argument[], { opaque, aliases = [], uses, routine, against }: PartFacts): void {
    const text = quoteAll(words);
    if (this.#chars > mostChars && text.length > mostCutChars) {
      this.#addTooLong();
      return;
    }
    this.#chars += text.length + aliases.reduce((sum, alias) => sum + alias.length, 0);
    const part: CommandPart = {
      text,
      words: words.map((word) => word.text),
      aliases: aliases.filter((alias) => alias !== text),
      ...(opaque !== undefined && { opaque }),
      readOnly: opaque === undefined && uses !== undefined,
      ...(routine !== undefined && { routine }),
      ...(against !== undefined && { against }),
    };
    const key = JSON.stringify([text, opaque ?? null, part.readOnly, part.aliases, routine !== undefined]);
    if (!this.#parts.has(key)) this.#parts.set(key, part);
    for (const use of uses ?? []) this.addFile(use.kind, use.path, use.home);
  }

  /** Something that can't be read; `text` shows where. */
  addOpaque(text: string, reason: string): void {
    this.addPart([{ text, fixed: false }], { opaque: reason });
  }

  /** Stands for every long part from here on: a rule that names something in one finds it in the whole line. */
  #addTooLong(): void {
    const opaque = "its parts are too long to be told one by one";
    this.#parts.set("", { text: this.#line, words: [this.#line], aliases: [], opaque, readOnly: false });
  }

  addFile(kind: FileUseKind, path: string, home: boolean): void {
    this.#files.set(JSON.stringify([kind, path, home]), { kind, path, home });
  }

  addProgram(name: string): void {
    if (!name.includes("/")) this.#programs.add(name);
  }

  /** The line goes on in this folder, or stays where it was. False where the folders can't be told any more. */
  enterFolder({ text, home }: Argument): boolean {
    if (home === true) {
      this.#folders.add(text);
      return this.#folders.size <= mostFolders;
    }
    for (const folder of Array.from(this.#folders)) {
      const joined = text.startsWith("/") || folder === "" ? text : `${folder}/${text}`;
      this.#folders.add(joined);
      this.#folders.add(posix.normalize(joined));
      if (this.#folders.size > mostFolders) return false;
    }
    return true;
  }

  toAnalysis(): CommandAnalysis {
    return {
      parts: Array.from(this.#parts.values()),
      files: Array.from(this.#files.values()),
      programs: Array.from(this.#programs),
      folders: Array.from(this.#folders).slice(0, mostFolders),
    };
  }
}
