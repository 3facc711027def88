import { posix } from "node:path";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import type { CommandPlace } from "./place.ts";
import { FileLookup } from "./file-lookup.ts";
import { isGuarded } from "./named-files.ts";
import { pathsOf } from "./paths.ts";
import { isPlainRepository } from "./plain-repository.ts";
import type { Risk } from "./risk.ts";

/** Says of the parts of one line whether anything is known against them where the line would run. */
export class RoutineJudge {
  readonly #analysis: CommandAnalysis;
  readonly #place: CommandPlace;
  readonly #lookup: FileLookup;
  /** Files that the line itself makes are there by the time they are named. */
  readonly #written: ReadonlySet<string>;
  #plain: Promise<boolean> | undefined;

  constructor(analysis: CommandAnalysis, place: CommandPlace) {
    this.#analysis = analysis;
    this.#place = place;
    this.#lookup = new FileLookup(place);
    const written = analysis.files.filter(({ kind }) => kind === "append" || kind === "overwrite");
    this.#written = new Set(written.map(({ path }) => posix.basename(path)));
  }

  async isRoutine({ routine, opaque }: CommandPart, risks: readonly Risk[]): Promise<boolean> {
    if (routine === undefined || opaque !== undefined) return false;
    if (risks.some(({ weighs }) => weighs)) return false;
    if (routine.repository === true) return (this.#plain ??= this.#isPlain());
    return routine.absent.every((name) => !this.#written.has(posix.basename(name)) && this.#isAbsent(name));
  }

  /** Whether appending to a file would make it. A file that is replaced is always asked for: it may be there by then. */
  makesFile({ kind, path }: FileUse, place: string): boolean {
    return kind === "append" && !isGuarded(path) && !path.endsWith("/") && this.#lookup.isAbsent(place);
  }

  #isAbsent(name: string): boolean {
    if (name.startsWith("~")) return false;
    const { folders } = this.#analysis;
    const absent = (path: string) =>
      pathsOf({ path, home: false }, folders, this.#place.cwd).every((one) => this.#lookup.isAbsent(one));
    const first = /^[^/]+(?=\/)/.exec(name)?.[0];
    if (first !== undefined && !/(^|\/)\.\.?(\/|$)/.test(name) && absent(first)) return true;
    return absent(name);
  }

  async #isPlain(): Promise<boolean> {
    for (const folder of pathsOf({ path: ".", home: false }, this.#analysis.folders, this.#place.cwd)) {
      if (!(await isPlainRepository(folder, this.#place, this.#lookup))) return false;
    }
    return true;
  }
}
