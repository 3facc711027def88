import { type Clock, getErrorCode, getErrorMessage } from "../../../../base/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryEdit, MemoryListing, MemoryStore } from "../../store/memory-store.ts";
import { ownPages } from "../../store/own-pages.ts";
import type { FolderFile, MemoryFolder, ReadText } from "./memory-folder.ts";
import { isMarked, readSummary } from "./memory-text.ts";
import { freePositions } from "./positions.ts";
import { type Stretch, splitStretches } from "./stretches.ts";

/** A memory file, as far as it is known. */
export interface IndexedFile {
  readonly path: string;
  readonly summary: string;
  /** Bytes. */
  readonly size: number;
  readonly trust: "trusted" | "untrusted";
  /** Why the search does not know it, or knows it as it was before. */
  readonly problem?: string;
}

export interface FileIndexOptions {
  readonly store: MemoryStore;
  readonly scope: string;
  readonly folder: MemoryFolder;
  readonly clock: Clock;
}

/** A file as it was when it was read last. */
interface KnownFile extends IndexedFile {
  readonly modifiedAt: number;
  /** It was changed so shortly before it was read that a later change could look the same. */
  readonly fresh: boolean;
}

/** File systems tell times apart by up to two seconds. */
const freshMs = 2000;
const attempts = 6;

/** Keeps the passages of one scope's memory files in the store. */
export class FileIndex {
  readonly #options: FileIndexOptions;
  /** The known files by path. Undefined until the first look. */
  #known: Map<string, KnownFile> | undefined;
  #running: Promise<readonly IndexedFile[]> | undefined;
  #next: Promise<readonly IndexedFile[]> | undefined;

  constructor(options: FileIndexOptions) {
    this.#options = options;
  }

  /** One after the other; those who ask while one runs share the next, which sees what was written before they asked. */
  sync(signal: AbortSignal): Promise<readonly IndexedFile[]> {
    if (this.#running === undefined) return this.#start(signal);
    this.#next ??= this.#running.then(
      () => this.#start(signal),
      () => this.#start(signal),
    );
    return this.#next;
  }

  #start(signal: AbortSignal): Promise<readonly IndexedFile[]> {
    this.#next = undefined;
    const running = this.#look(signal).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #look(signal: AbortSignal): Promise<readonly IndexedFile[]> {
    const { folder } = this.#options;
    const { files, more } = await folder.list(signal);
    const known = this.#known ?? new Map<string, KnownFile>();
    const stored = this.#known === undefined ? await this.#stored() : undefined;
    for (const path of stored?.keys() ?? []) known.set(path, unread(path));
    const there = new Set(files.map(({ path }) => path));
    for (const file of files) {
      const before = known.get(file.path);
      if (before === undefined || before.fresh || isChanged(before, file))
        known.set(file.path, await this.#read(file, stored && (stored.get(file.path) ?? []), signal));
    }
    // What is not among the first files of too many may be there all the same.
    for (const path of more ? [] : known.keys()) {
      if (there.has(path)) continue;
      await this.#put(path, [], 0, undefined);
      known.delete(path);
    }
    this.#known = known;
    return files.flatMap(({ path }) => known.get(path) ?? []);
  }

  async #read(
    file: FolderFile,
    passages: readonly MemoryEntry[] | undefined,
    signal: AbortSignal,
  ): Promise<KnownFile> {
    const { folder, clock } = this.#options;
    const { path } = file;
    const lookedAt = clock.now();
    const seen = { path, modifiedAt: file.modifiedAt, size: file.size };
    try {
      const read = await folder.readOwn(path, signal);
      const stretches = splitStretches(read.text, path);
      await this.#put(path, stretches, readTime(path, read), passages);
      return {
        ...seen,
        summary: readSummary(read.text),
        trust: isMarked(read.text) ? "untrusted" : "trusted",
        fresh: lookedAt - file.modifiedAt < freshMs,
      };
    } catch (error) {
      signal.throwIfAborted();
      // Half written, unreadable, or no text: the next look tries again, and the other files are there meanwhile.
      return {
        ...seen,
        summary: "",
        trust: "untrusted",
        fresh: true,
        problem: `${getErrorCode(error) ?? ""} ${getErrorMessage(error)}`.trim(),
      };
    }
  }

  /**
   * Makes the passages of a file those that it has now; what stayed the same keeps its entry.
   *
   * @param passages those that it had just now, where that is known
   */
  async #put(
    path: string,
    stretches: readonly Stretch[],
    at: number,
    passages: readonly MemoryEntry[] | undefined,
  ): Promise<void> {
    const { store, scope } = this.#options;
    for (let attempt = 1, before = passages; ; attempt++, before = undefined) {
      before ??= await this.#all({ session: toSession(path), order: "position" });
      const edits = toEdits(path, stretches, at, before);
      if (edits.length === 0) return;
      try {
        await store.edit(scope, edits, { by: toSession(path) });
        return;
      } catch (error) {
        // Another process reads the same file.
        if (attempt === attempts || !raced.has(getErrorCode(error) ?? "")) throw error;
      }
    }
  }

  /** The passages of all files, by path. */
  async #stored(): Promise<ReadonlyMap<string, readonly MemoryEntry[]>> {
    const stored = new Map<string, MemoryEntry[]>();
    for (const entry of await this.#all({ labelPrefix: toSession("") })) {
      const path = entry.place?.session.slice(toSession("").length) ?? "";
      const passages = stored.get(path);
      if (passages === undefined) stored.set(path, [entry]);
      else passages.push(entry);
    }
    return stored;
  }

  async #all(listing: MemoryListing): Promise<readonly MemoryEntry[]> {
    const { store, scope } = this.#options;
    const all: MemoryEntry[] = [];
    for await (const page of ownPages(store, scope, { ...listing, kinds: ["passage"], limit: 1000 }))
      all.push(...page);
    return all;
  }
}

const raced: ReadonlySet<string> = new Set(["MEMORY_LABEL_TAKEN", "MEMORY_NOT_FOUND", "MEMORY_CHANGED"]);

/** A file that an earlier process knew. */
function unread(path: string): KnownFile {
  return { path, summary: "", size: -1, trust: "trusted", modifiedAt: -1, fresh: true };
}

function isChanged(before: KnownFile, { size, modifiedAt }: FolderFile): boolean {
  return before.size !== size || before.modifiedAt !== modifiedAt;
}

function toSession(path: string): string {
  return `file:${path}`;
}

function toLabel(path: string, { key }: Stretch): string {
  return `${toSession(path)}#${key}`;
}

/** When it was so: an episode is named after its day. */
function readTime(path: string, { modifiedAt }: ReadText): number {
  const [day] = /\d{4}-\d{2}-\d{2}(?=[^0-9][^/]*$)/.exec(path) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T12:00:00Z`);
  return Number.isNaN(time) ? modifiedAt : time;
}

function toEdits(
  path: string,
  stretches: readonly Stretch[],
  at: number,
  passages: readonly MemoryEntry[],
): MemoryEdit[] {
  const byLabel = new Map(passages.map((entry) => [entry.label, entry]));
  const positions = freePositions(
    stretches.map((stretch) => byLabel.get(toLabel(path, stretch))?.place?.position),
  );
  const kept = new Set<string>();
  const created: MemoryEdit[] = [];
  for (const [index, stretch] of stretches.entries()) {
    const label = toLabel(path, stretch);
    const before = byLabel.get(label);
    const position = positions[index] as number;
    if (before?.place?.position === position) {
      kept.add(before.id);
      continue;
    }
    const { text, title, names, tags, trust } = stretch;
    created.push({
      do: "create_block",
      entry: {
        kind: "passage",
        label,
        tier: "archival",
        permission: "read_only",
        text,
        ...(title !== "" && { title }),
        names,
        tags,
        trust,
        at,
        place: { session: toSession(path), position },
      },
    });
  }
  const erased = passages
    .filter(({ id }) => !kept.has(id))
    .map(({ id }): MemoryEdit => ({ do: "erase_block", id }));
  return [...erased, ...created];
}
