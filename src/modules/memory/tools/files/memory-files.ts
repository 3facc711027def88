import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, getErrorCode, RecentMap, systemClock } from "../../../../base/index.ts";
import type { Workspace } from "../../../../host/index.ts";
import type { MemoryAuthor, MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryEdit, MemoryStore } from "../../store/memory-store.ts";
import { MemoryFileError } from "./errors.ts";
import { FileIndex, type IndexedFile } from "./file-index.ts";
import { type FolderAccess, MemoryFolder, type ReadText, type StagedText } from "./memory-folder.ts";
import { isMarked } from "./memory-text.ts";

/** The store beside the files, and where the files are. */
export interface MemoryFilesOptions {
  /** The store as it is without the files. */
  readonly store: MemoryStore;
  /**
   * A workspace of its own, since the folders lie in haft's home, which the workspace of other tools hides.
   * It is used within the folders alone.
   */
  readonly workspace: Workspace;
  /** The folder of a scope, absolute. No two scopes may have the same, or one in another. */
  readonly memoryFolder: (scope: string) => string;
  /** Takes secrets out of what tools write. What a person wrote is left as it is. */
  readonly redact?: (text: string) => string;
  readonly clock?: Clock;
}

/** What became of a change of a file. */
export interface ChangedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** What it held before is kept. */
  readonly kept: boolean;
}

/** Former texts that are kept of each file. */
const maxFormers = 20;
const attempts = 8;
const scopesInMind = 200;

/**
 * Memory in Markdown files, one folder a scope. The files are the truth, and anybody may edit them: what they say is
 * copied into the store as entries of kind `passage`, whenever somebody looks and they have changed. What a tool
 * replaces is kept there as well, as an entry of kind `former` that was valid until then.
 *
 * @example
 * ```ts
 * import { mkdirSync, writeFileSync } from "node:fs";
 * const folder = `${process.cwd()}/memory`;
 * mkdirSync(folder);
 * writeFileSync(`${folder}/tea.md`, "# Tea\n\nAda likes green tea.\n");
 * await using store = await openStore({ path: ":memory:" });
 * const workspace = new Workspace({ undo: new UndoFolder(`${process.cwd()}/undo`) });
 * const files = new MemoryFiles({ store: store.memory, workspace, memoryFolder: () => folder });
 * (await files.sync("local")).map(({ path }) => path); // → ["tea.md"]
 * ```
 */
export class MemoryFiles {
  readonly #options: MemoryFilesOptions;
  readonly #clock: Clock;
  readonly #indexes = new RecentMap<string, FileIndex>(scopesInMind);

  constructor(options: MemoryFilesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The files of one scope, which need not be there yet. */
  folder(scope: string): MemoryFolder {
    return new MemoryFolder(this.#options.workspace, this.#options.memoryFolder(scope));
  }

  /**
   * Brings the entries up to what the files say, and tells of the files. Costs a look at each of them where nothing
   * has changed.
   */
  sync(scope: string, signal: AbortSignal = neverAborted): Promise<readonly IndexedFile[]> {
    return this.#openIndex(scope).sync(signal);
  }

  /** Reads every file again, whether it seems changed or not. */
  async reindex(scope: string, signal: AbortSignal = neverAborted): Promise<readonly IndexedFile[]> {
    this.#indexes.set(scope, this.#newIndex(scope));
    return this.sync(scope, signal);
  }

  /** A text as it may be kept. */
  clean(text: string): string {
    return this.#options.redact?.(text) ?? text;
  }

  /**
   * Replaces a file by what `make` makes of it, keeping what it held. Where others change it at the same time, it is
   * made anew of what they left: no change is lost.
   */
  async change(
    scope: string,
    path: string,
    context: FolderAccess & { readonly author: MemoryAuthor },
    make: (former: string | undefined) => string,
  ): Promise<ChangedFile> {
    const folder = this.folder(scope);
    for (let attempt = 1; ; attempt++) {
      const last = attempt === attempts;
      try {
        const changed = await folder.change(path, context, make, (staged) =>
          this.#commit(scope, path, staged, context.author, { last }),
        );
        // The file is written. What is not indexed now is found changed at the next look.
        await this.sync(scope, context.signal).catch(() => {});
        return changed;
      } catch (error) {
        if (last || !conflicts.has(getErrorCode(error) ?? "")) throw error;
        await delay(2 ** attempt + Math.random() * 10, undefined, { signal: context.signal });
      }
    }
  }

  /** @param back how many changes ago: 1 for what it held before the last one. @throws {MemoryFileError} MEMORY_FILE_NOT_FOUND */
  async former(scope: string, path: string, back: number): Promise<MemoryEntry> {
    const entries = await this.#listFormer(scope, path);
    const found = entries.at(-back);
    if (found !== undefined) return found;
    throw new MemoryFileError(
      "MEMORY_FILE_NOT_FOUND",
      `Cannot read what "${path}" held ${back} ${back === 1 ? "change" : "changes"} ago: ${entries.length === 0 ? "nothing is kept of it" : `${entries.length} former texts are kept of it`}; changes by hand are not among them`,
      { details: { path, kept: entries.length } },
    );
  }

  async #commit(
    scope: string,
    path: string,
    staged: StagedText,
    author: MemoryAuthor,
    options: { readonly last: boolean },
  ): Promise<ChangedFile> {
    const { former, text, size } = staged;
    if (former?.text === text) return { path, size, kept: false };
    const keeps = former !== undefined && former.text !== "";
    if (keeps) await this.#keep(scope, path, former, author, options);
    staged.commit();
    return { path, size, kept: keeps };
  }

  /**
   * Only one of those who are about to replace the same content can keep it: its label is taken then, and the others
   * look at the file again. Whoever kept it and never came to replace it is gone by the last attempt.
   */
  async #keep(
    scope: string,
    path: string,
    former: ReadText,
    author: MemoryAuthor,
    { last }: { readonly last: boolean },
  ): Promise<void> {
    const kept = await this.#listFormer(scope, path);
    const tooOld = kept.slice(0, Math.max(0, kept.length - maxFormers + 1));
    const version = createHash("sha256").update(former.version).digest("hex").slice(0, 16);
    const edits: MemoryEdit[] = [
      {
        do: "create_block",
        entry: {
          kind: "former",
          label: `file:${path}@${version}`,
          tier: "log",
          permission: "read_only",
          text: former.text,
          at: former.modifiedAt,
          validTo: this.#clock.now(),
          place: { session: sessionOfFormers(path) },
          trust: isMarked(former.text) ? "untrusted" : "trusted",
        },
      },
      ...tooOld.map(({ id }): MemoryEdit => ({ do: "erase_block", id })),
    ];
    try {
      await this.#options.store.edit(scope, edits, author);
    } catch (error) {
      if (!last || getErrorCode(error) !== "MEMORY_LABEL_TAKEN") throw error;
    }
  }

  /** The oldest first. */
  async #listFormer(scope: string, path: string): Promise<readonly MemoryEntry[]> {
    const { entries } = await this.#options.store.list(scope, {
      kinds: ["former"],
      session: sessionOfFormers(path),
      owned: "own",
      with: ["invalid"],
      order: "position",
      limit: 1000,
    });
    return entries;
  }

  #openIndex(scope: string): FileIndex {
    const known = this.#indexes.get(scope);
    if (known !== undefined) return known;
    const made = this.#newIndex(scope);
    this.#indexes.set(scope, made);
    return made;
  }

  #newIndex(scope: string): FileIndex {
    return new FileIndex({
      store: this.#options.store,
      scope,
      folder: this.folder(scope),
      clock: this.#clock,
    });
  }
}

const neverAborted = new AbortController().signal;

/** Somebody else changes the same file; MEMORY_NOT_FOUND: they dropped the same old text. */
const conflicts: ReadonlySet<string> = new Set([
  "FILE_CHANGED",
  "FILE_EXISTS",
  "MEMORY_LABEL_TAKEN",
  "MEMORY_NOT_FOUND",
]);

function sessionOfFormers(path: string): string {
  return `former:${path}`;
}
