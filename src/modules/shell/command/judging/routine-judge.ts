import { posix } from "node:path";
import { cutHead, oneLine } from "../../../../base/index.ts";
import { isInside } from "../../../../host/index.ts";
import type { CommandAnalysis, CommandPart, FileUse, GitShows } from "../analysis.ts";
import { FileLookup } from "../file-lookup.ts";
import { isGuarded } from "../named-files.ts";
import { trackedSecrets } from "../programs/git-index.ts";
import { findPlainRepository, type PlainRepository } from "../programs/plain-repository.ts";
import { secretsBelow } from "../secrets-below.ts";
import { resolvePaths } from "../syntax/paths.ts";
import type { CommandPlace } from "../syntax/place.ts";
import type { Risk } from "./risk.ts";

const startsByItself =
  "git may start programs here: by a hook, the repository's configuration, a submodule or a linked work tree";

const makesRepository =
  "the line itself makes what git may take for a repository, whose configuration starts programs";
/** A repository has a HEAD; all else of it may have any name. */
const ofRepository = /(^|\/)(HEAD|\.git[^/]*)(\/|$)/i;

/** Characters of a name within a phrase. */
const mostShown = 100;

function cut(text: string): string {
  return cutHead(oneLine(text), mostShown);
}

/** Says of the parts of one line whether anything is known against them where the line would run. */
export class RoutineJudge {
  readonly #analysis: CommandAnalysis;
  readonly #place: CommandPlace;
  readonly #lookup: FileLookup;
  /** Files that the line itself makes are there by the time they are named. */
  readonly #written: ReadonlySet<string>;
  /** The line may make files of these names, and any other that it is not told of. */
  readonly #made: readonly string[];
  #repositories: Promise<readonly PlainRepository[] | undefined> | undefined;

  constructor(analysis: CommandAnalysis, place: CommandPlace) {
    this.#analysis = analysis;
    this.#place = place;
    this.#lookup = new FileLookup(place);
    const written = analysis.files.filter(({ kind }) => kind === "append" || kind === "overwrite");
    this.#written = new Set(written.map(({ path }) => posix.basename(path)));
    this.#made = [
      ...written.map(({ path }) => path),
      ...analysis.parts.flatMap(({ routine }) => [...(routine?.makes ?? []), ...(routine?.absent ?? [])]),
    ];
  }

  /** What is known against a part that can be read, in a phrase; undefined where nothing is. */
  async objection({ routine, against }: CommandPart, risks: readonly Risk[]): Promise<string | undefined> {
    if (against !== undefined || routine === undefined) return against ?? "nothing is known of it";
    if (risks.some(({ weighs }) => weighs)) return "it has a known risk";
    const { notInstalled, repository, stages, shows, absentAbove } = routine;
    if (absentAbove !== undefined && !this.#isAbsentAbove(absentAbove))
      return `${absentAbove} of the project may have it do more`;
    if (repository === true) {
      if (this.#made.some((name) => ofRepository.test(name))) return makesRepository;
      const found = await (this.#repositories ??= this.#findRepositories());
      if (found === undefined) return startsByItself;
      if (stages !== undefined) {
        const objection = await this.#objectionToStaging(stages);
        if (objection !== undefined) return objection;
      }
      if (shows !== undefined) {
        const objection = await this.#objectionToShowing(shows, found);
        if (objection !== undefined) return objection;
      }
    }
    for (const name of routine.absent) {
      if (this.#written.has(posix.basename(name)))
        return `it names ${cut(name)}, which the line itself writes`;
      if (!this.#isAbsent(name)) return this.#sayFound(name);
    }
    return notInstalled !== undefined && this.#place.hasProgram(notInstalled)
      ? `nothing is known of what ${cut(notInstalled)} may change`
      : undefined;
  }

  /** Whether the line may change which files a pattern finds: by whatever is not known to only read. */
  get changesFiles(): boolean {
    const { parts, files } = this.#analysis;
    const looks = ({ readOnly, routine }: CommandPart) =>
      readOnly || (routine?.repository === true && routine.absent.length === 0);
    return !parts.every(looks) || files.some(({ kind }) => kind === "append" || kind === "overwrite");
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
    const places = resolvePaths({ path: name, home: false }, this.#analysis.folders, this.#place.cwd);
    const found = places.map((place) => this.#lookup.finds(place)).find((one) => one !== "nothing");
    if (found === "not looked") return "the line has more names than are looked up";
    if (found === "not told") return `it names ${cut(name)}, outside the allowed folders`;
    return `it names ${cut(name)}, which is there`;
  }

  /** A file of this name in one of the folders that the line may be in, or above them as far as may be looked. */
  #isAbsentAbove(name: string): boolean {
    const { workspace, context, cwd } = this.#place;
    const folders = resolvePaths({ path: ".", home: false }, this.#analysis.folders, cwd);
    return folders.every((folder) => {
      const start = workspace.locate(folder, context);
      if (!start.within) return false;
      for (let at = start.path; workspace.locate(at, context).within; at = posix.dirname(at)) {
        if (!this.#lookup.isAbsent(posix.join(at, name))) return false;
        if (posix.dirname(at) === at) break;
      }
      return true;
    });
  }

  async #objectionToShowing(
    { files, orFolders }: GitShows,
    repositories: readonly PlainRepository[],
  ): Promise<string | undefined> {
    let hasFolder = false;
    for (const file of files) {
      const places = resolvePaths({ path: file, home: false }, this.#analysis.folders, this.#place.cwd);
      const found = places.map((place) => this.#lookup.finds(place));
      if (!found.every((one) => one === "file" || (orFolders === true && one === "other")))
        return `git may show any file as ${cut(file)}, which is none by itself; name files after --`;
      hasFolder ||= found.includes("other");
    }
    if (files.length > 0 && !hasFolder) return undefined;
    for (const { own } of repositories) {
      // Nothing was ever kept in it.
      if (
        own === undefined ||
        ["index", "logs/HEAD"].every((name) => this.#lookup.isAbsent(`${own}/${name}`))
      )
        continue;
      const secrets = await trackedSecrets(`${own}/index`, this.#place);
      if (secrets === undefined) return "what git keeps can't be looked through for secrets";
      if (secrets.length > 0)
        return `git may show ${cut(secrets.join(" and "))}, which may hold secrets; name other files after --`;
    }
    return undefined;
  }

  /** A secret that git has taken in, it would show in a difference. */
  async #objectionToStaging(stages: readonly string[]): Promise<string | undefined> {
    for (const path of stages) {
      const places =
        path === ""
          ? this.#wholeTrees()
          : resolvePaths({ path, home: false }, this.#analysis.folders, this.#place.cwd);
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
    const here = resolvePaths({ path: ".", home: false }, this.#analysis.folders, cwd).map(
      (folder) => workspace.locate(folder, context).path,
    );
    return (context.allowedPaths ?? []).filter((root) => here.some((folder) => isInside(root, folder)));
  }

  #isAbsent(name: string): boolean {
    if (name.startsWith("~")) return false;
    const { folders } = this.#analysis;
    const absent = (path: string) =>
      resolvePaths({ path, home: false }, folders, this.#place.cwd).every((one) =>
        this.#lookup.isAbsent(one),
      );
    const first = /^[^/]+(?=\/)/.exec(name)?.[0];
    if (first !== undefined && !/(^|\/)\.\.?(\/|$)/.test(name) && absent(first)) return true;
    return absent(name);
  }

  /** One for each folder that the line may be in; undefined where git may start something in one. */
  async #findRepositories(): Promise<readonly PlainRepository[] | undefined> {
    const found: PlainRepository[] = [];
    for (const folder of resolvePaths({ path: ".", home: false }, this.#analysis.folders, this.#place.cwd)) {
      const repository = await findPlainRepository(folder, this.#place, this.#lookup);
      if (repository === undefined) return undefined;
      found.push(repository);
    }
    return found;
  }
}
