import { join } from "node:path";
import { getErrorMessage } from "../../../base/index.ts";
import { markRunning, type RunningMark, removeRunningMark } from "../mounts/running-marks.ts";
import { contains, kindAt } from "../places.ts";
import { findDoors, type GitDoor, pointerDoors, setAside } from "./git-doors.ts";
import { GitWalk } from "./git-walk.ts";

/**
 * Finds what commands leave in repositories that they may change, so that it would run with the next `git status` of
 * somebody outside: in a repository below, in one where there was none, in one that was cloned before. To make
 * these is everyday work, so it is not refused: git is kept from finding the settings and hooks that run something,
 * and whoever asked for the command is told. What was there before is the user's, and stays. What the user adds there
 * while a command runs can't be told from the command's, and is set aside too; nothing is deleted.
 */
export class GitWatch {
  readonly #isHidden: (path: string) => boolean;
  readonly #roots = new Map<string, Root>();
  /** The doors that are the user's, or that were told of, by git folder. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  readonly #untold: string[] = [];

  /** @param hidden what no command sees */
  constructor(hidden: readonly string[]) {
    this.#isHidden = (path) => hidden.some((one) => contains(one, path));
  }

  /**
   * Before a command that may change these folders.
   *
   * @param roots canonical
   * @returns what ends it, when nothing of the command is left; more than once does nothing
   */
  begin(roots: readonly string[]): () => void {
    // What decides in there is protected already, and only the user changes it.
    const guarded = new Set(
      roots.map((root) => join(root, ".git")).filter((git) => kindAt(git) === "folder"),
    );
    const opened = roots.map((path) => this.#open(path));
    for (const root of opened) {
      for (const [git, doors] of this.#look(root, roots)) {
        if (guarded.has(git) || this.#isRunningIn(git)) continue;
        this.#known.set(git, listIds(doors));
        this.#warn(git, doors, root.mark.interruptedAt);
      }
    }
    for (const root of opened) root.commands++;
    return () => {
      for (const root of opened.splice(0)) this.#end(root, { roots, guarded });
    };
  }

  /** What there is to tell, each once. */
  takeFindings(): string[] {
    return this.#untold.splice(0);
  }

  /** Removes what it made on the machine. */
  close(): void {
    for (const path of this.#roots.keys()) removeRunningMark(path);
  }

  #open(path: string): Root {
    const known = this.#roots.get(path);
    if (known !== undefined && known.commands > 0) return known;
    const root = { path, walk: known?.walk ?? new GitWalk(), mark: markRunning(path), commands: 0 };
    this.#roots.set(path, root);
    return root;
  }

  #end(root: Root, { roots, guarded }: { roots: readonly string[]; guarded: ReadonlySet<string> }): void {
    try {
      for (const [git, doors] of this.#look(root, roots)) {
        const known = this.#known.get(git);
        const opened = guarded.has(git) ? [] : doors.filter(({ id }) => known?.has(id) !== true);
        if (opened.length > 0) this.#shut(git, opened);
      }
    } catch (error) {
      this.#untold.push(
        `haft could not look for what a command left in "${root.path}" for git to run: ${getErrorMessage(error)}; do not use git there before someone has looked at it`,
      );
    }
    root.commands--;
    if (root.commands === 0) root.mark.end();
  }

  #shut(git: string, opened: readonly GitDoor[]): void {
    const what = `what a command left in "${git}" for git to run or follow (${formatNames(opened)})`;
    try {
      const names = setAside(git, opened).join(", ");
      this.#untold.push(
        `haft set aside ${what}; it is in ${names} now: rename it back if it is wanted, or run the command with \`unconfined: true\`, which asks`,
      );
    } catch (error) {
      this.#known.set(git, new Set([...(this.#known.get(git) ?? []), ...listIds(opened)]));
      this.#untold.push(
        `haft could not set aside ${what}: ${getErrorMessage(error)}; do not use git there before someone has looked at it`,
      );
    }
  }

  #warn(git: string, doors: readonly GitDoor[], since = Infinity): void {
    const later = doors.filter(({ changedAt }) => changedAt >= since);
    if (later.length > 0)
      this.#untold.push(
        `haft was killed while a command ran, and what git runs or follows in "${git}" has changed since (${formatNames(later)}): do not use git there before someone has looked at it`,
      );
  }

  #look({ path, walk }: Root, roots: readonly string[]): Opened[] {
    const isWritable = (one: string) => roots.some((root) => contains(root, one)) && !this.#isHidden(one);
    const { folders, unclear } = walk.find(path, isWritable);
    return [
      ...folders.map((git): Opened => [git, findDoors(git, isWritable)]),
      ...unclear.map((folder): Opened => [folder, pointerDoors(folder)]),
    ];
  }

  #isRunningIn(path: string): boolean {
    return Array.from(this.#roots.values()).some((root) => root.commands > 0 && contains(root.path, path));
  }
}

type Opened = readonly [folder: string, doors: readonly GitDoor[]];

/** A folder that commands may change. */
interface Root {
  readonly path: string;
  readonly walk: GitWalk;
  readonly mark: RunningMark;
  commands: number;
}

function listIds(doors: readonly GitDoor[]): Set<string> {
  return new Set(doors.map(({ id }) => id));
}

function formatNames(doors: readonly GitDoor[]): string {
  const names = doors.map(({ name }) => name);
  return names.length > mostNames ? `${names.slice(0, mostNames).join(", ")}, …` : names.join(", ");
}

const mostNames = 6;
