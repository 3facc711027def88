import { posix } from "node:path";
import { headOf, oneLine } from "../../../base/index.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import type { CommandPlace } from "./place.ts";
import { FileLookup } from "./file-lookup.ts";
import { isGuarded } from "./named-files.ts";
import { pathsOf } from "./paths.ts";
import { isPlainRepository } from "./plain-repository.ts";
import type { Risk } from "./risk.ts";
import { secretsBelow } from "./secrets-below.ts";

const startsByItself =
  "git may start programs here: by a hook, the repository's configuration, a submodule or a linked work tree";

/** Characters of a name within a phrase. */
const mostShown = 100;

function cut(text: string): string {
  return headOf(oneLine(text), mostShown);
}

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

  /** What is known against a part that can be read, in a phrase; undefined where nothing is. */
  async objection({ routine, against }: CommandPart, risks: readonly Risk[]): Promise<string | undefined> {
    if (against !== undefined || routine === undefined) return against ?? "nothing is known of it";
    if (risks.some(({ weighs }) => weighs)) return "it has a known risk";
    if (routine.repository === true) {
      if (!(await (this.#plain ??= this.#isPlain()))) return startsByItself;
      return routine.stages === undefined ? undefined : this.#objectionToStaging(routine.stages);
    }
    for (const name of routine.absent) {
      if (this.#written.has(posix.basename(name)))
        return `it names ${cut(name)}, which the line itself writes`;
      if (!this.#isAbsent(name)) return this.#sayFound(name);
    }
    return undefined;
  }

  /** What is known against a redirection that writes; undefined where it makes the file. */
  objectionToWriting({ kind, path }: FileUse, place: string): string | undefined {
    if (kind !== "append") return "the file may be there by then, and what a shell replaces is gone";
    if (isGuarded(path)) return `${cut(path)} may hold secrets or start programs`;
    return !path.endsWith("/") && this.#lookup.isAbsent(place)
      ? undefined
      : "it adds to what is there, and a shell's writing can't be undone";
  }

  #sayFound(name: string): string {
    if (name.startsWith("~")) return `it names ${cut(name)} in a home folder`;
    const places = pathsOf({ path: name, home: false }, this.#analysis.folders, this.#place.cwd);
    const found = places.map((place) => this.#lookup.finds(place)).find((one) => one !== "nothing");
    if (found === "not looked") return "the line has more names than are looked up";
    if (found === "not told") return `it names ${cut(name)}, outside the allowed folders`;
    return `it names ${cut(name)}, which is there`;
  }

  /** A secret that git has taken in, it would show in a difference. */
  async #objectionToStaging(stages: readonly string[]): Promise<string | undefined> {
    for (const path of stages) {
      const places =
        path === ""
          ? this.#wholeTrees()
          : pathsOf({ path, home: false }, this.#analysis.folders, this.#place.cwd);
      for (const place of places) {
        const found = this.#lookup.finds(place);
        if (found === "file" || found === "nothing") continue;
        const secrets =
          found === "other" ? await secretsBelow(place, this.#place, { asGit: true }) : undefined;
        if (secrets === undefined)
          return "not all that git would take in could be looked through for secrets";
        if (secrets.length > 0)
          return `git would take in ${cut(secrets.join(" and "))}, which may hold secrets`;
      }
    }
    return undefined;
  }

  /** The allowed folders that the line may be in: the work tree begins there, or below. */
  #wholeTrees(): readonly string[] {
    const { workspace, context, cwd } = this.#place;
    const here = pathsOf({ path: ".", home: false }, this.#analysis.folders, cwd).map(
      (folder) => workspace.locate(folder, context).path,
    );
    return (context.allowedPaths ?? []).filter((root) =>
      here.some((folder) => folder === root || folder.startsWith(`${root.replace(/\/$/, "")}/`)),
    );
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
