import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { formatBytes } from "../../../base/index.ts";
import { listEntries } from "../folder-search.ts";
import { type EntryKind, kindAt } from "../places.ts";
import { livingMarks, openSharedFolder, programMark, sharedFolder } from "./shared-folder.ts";

/** Folders for temporary files that a command finds replaced by private ones. */
export const temporaryPlaces: readonly string[] = ["/tmp", "/var/tmp"];

/** A session that has not run a command for so long is over. */
const idleMs = 60 * 60 * 1000;
/** Entries that are counted at the most when a folder is measured. */
const mostEntries = 20_000;

let count = 0;

interface Kept {
  readonly folder: string;
  users: number;
  usedAt: number;
}

/** The private temporary folder of one session, for as long as one command uses it. */
export interface TemporaryFolder {
  /** The folder on the machine that a command sees at one of {@link temporaryPlaces}. */
  readonly findSource: (place: string) => string;
  /** Ends the use. Empties the folder if it grew too large, and returns a phrase that says so. */
  readonly leave: () => string | undefined;
}

/**
 * Private temporary folders of sessions. They lie where no sandbox shows them, last as long as the session or
 * this program, and those of a killed program are removed by the next one that needs such a folder.
 */
export class TemporaryFolders {
  readonly #base: string;
  /** The folder that holds those of this object, of no other and of no other program. */
  readonly #own: string;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Kept>();
  #isOpen = false;
  readonly #onExit = () => this.remove();

  constructor(maxBytes: number) {
    this.#base = sharedFolder("temporary folders of commands");
    this.#own = join(this.#base, `${++count}-${programMark}`);
    this.#maxBytes = maxBytes;
  }

  /**
   * The folder of a session. Undefined where there is no place that is this user's alone.
   *
   * @param reserved names below a temporary folder that the command sees something else at. Commands that share a folder have
   * the same ones, so that none of them can put a link there, which a later mount would follow.
   */
  enter(session: string, reserved: readonly string[]): TemporaryFolder | undefined {
    if (!this.#open()) return undefined;
    this.#removeIdle();
    const key = JSON.stringify([session, reserved]);
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
      kept = { folder: join(this.#own, name), users: 0, usedAt: Date.now() };
      this.#kept.set(key, kept);
    }
    const { folder } = kept;
    const findSource = (place: string) => sourceIn(folder, place);
    for (const place of temporaryPlaces) mkdirSync(findSource(place), { recursive: true, mode: 0o700 });
    kept.users++;
    let left = false;
    return {
      findSource,
      leave: () => {
        if (left) return undefined;
        left = true;
        return this.#leave(key, kept);
      },
    };
  }

  /**
   * Whether a path below one of {@link temporaryPlaces} is the session's own: it goes by no link, and the machine has no
   * more of it than the session. Otherwise the machine's own file is likely what is meant.
   */
  isOwn(session: string, path: string): boolean {
    const place = temporaryPlaces.find((one) => path.startsWith(`${one}/`));
    if (place === undefined) return false;
    const names = path.slice(place.length + 1).split("/");
    let own = 0;
    for (const [key, { folder }] of this.#kept) {
      if ((JSON.parse(key) as readonly unknown[])[0] !== session) continue;
      const kinds = kindsAlong(sourceIn(folder, place), names);
      if (kinds.includes("link")) return false;
      own = Math.max(own, kinds.length);
    }
    return kindsAlong(place, names).length <= own;
  }

  /** Removes all of them. */
  remove(): void {
    process.off("exit", this.#onExit);
    if (this.#isOpen) removeTree(this.#own);
    this.#isOpen = false;
    this.#kept.clear();
  }

  #open(): boolean {
    if (this.#isOpen) return true;
    try {
      if (!openSharedFolder(this.#base)) return false;
      livingMarks(this.#base, removeTree);
      mkdirSync(this.#own, { mode: 0o700 });
    } catch {
      return false;
    }
    process.once("exit", this.#onExit);
    this.#isOpen = true;
    return true;
  }

  #leave(key: string, kept: Kept): string | undefined {
    kept.usedAt = Date.now();
    if (--kept.users > 0 || !isLargerThan(kept.folder, this.#maxBytes)) return undefined;
    this.#forget(key, kept);
    return `the temporary files of this session (/tmp) were more than ${formatBytes(this.#maxBytes)} or ${mostEntries} files, and were removed`;
  }

  #removeIdle(): void {
    for (const [key, kept] of this.#kept)
      if (kept.users === 0 && Date.now() - kept.usedAt > idleMs) this.#forget(key, kept);
  }

  #forget(key: string, { folder }: Kept): void {
    this.#kept.delete(key);
    removeTree(folder);
  }
}

/** What stands at each step of a path, as far as there is anything. */
function kindsAlong(start: string, names: readonly string[]): EntryKind[] {
  const kinds: EntryKind[] = [];
  let at = start;
  for (const name of names) {
    at = join(at, name);
    const kind = kindAt(at);
    if (kind === "nothing") break;
    kinds.push(kind);
  }
  return kinds;
}

function sourceIn(folder: string, place: string): string {
  return join(folder, place.replaceAll("/", "-").slice(1));
}

/** What a command made unreadable stays until somebody with the right to remove it does. */
function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is no folder that anybody else could use.
  }
}

function isLargerThan(root: string, maxBytes: number): boolean {
  let [bytes, entries] = [0, 0];
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listEntries(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else bytes += (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
      if (bytes > maxBytes || ++entries > mostEntries) return true;
    }
  }
  return false;
}
