import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import type { Embedder } from "../../../search/index.ts";
import { noteEvents } from "../../events/index.ts";
import { checkedAuthor, EntryChecks, invalid } from "./entries/checked-entry.ts";
import type { SeenRow } from "./entries/find-entries.ts";
import type { MemoryAuthor, MemoryEntry, MemoryShare, MemoryVersion } from "./memory-entry.ts";
import type {
  MemoryEdit,
  MemoryHits,
  MemoryListing,
  MemoryPage,
  MemorySearch,
  MemoryStore,
} from "./memory-store.ts";
import type { MemorySearcher } from "./search/memory-searcher.ts";
import type { Tables } from "./tables.ts";
import type { VectorProgress } from "./vectors/meaning.ts";
import type { MemoryVectors } from "./vectors/memory-vectors.ts";

export interface SqlMemoryOptions {
  readonly clock: Clock;
  /** Takes secrets out of what is kept. */
  readonly redact: Redact | undefined;
  /** Absent: what entries mean is not compared. */
  readonly embedder?: (() => Promise<Embedder | undefined>) | undefined;
  /** Told of what goes wrong while vectors are made in the background. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Changes that are made at once hold back everybody else's until they are done. */
const maxEdits = 10_000;

/** Loaded when they are needed: most programs that open a store ask nothing of memory. */
const loadQueries = () => import("./entries/entry-queries.ts");

/** {@link MemoryStore} over any {@link TypedDatabase}. */
export class SqlMemory implements MemoryStore {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #checks: EntryChecks;
  readonly #options: SqlMemoryOptions;
  #finding: Promise<Finding> | undefined;

  constructor(db: TypedDatabase<Tables>, options: SqlMemoryOptions) {
    this.#db = db;
    this.#options = options;
    this.#clock = options.clock;
    this.#checks = new EntryChecks(options.redact);
  }

  async edit(
    scope: string,
    edits: readonly MemoryEdit[],
    author: MemoryAuthor,
  ): Promise<readonly MemoryEntry[]> {
    if (edits.length > maxEdits)
      throw invalid("edits", `at most ${maxEdits.toLocaleString("en")} are made at once; make several of it`);
    if (edits.length === 0) return [];
    const kept = checkedAuthor(author);
    const at = this.#clock.now();
    const [{ EntryEdits }, { vectors }] = await Promise.all([loadQueries(), this.#find()]);
    const options = { scope, author: kept, at, checks: this.#checks, vectors };
    return this.#db.write(async (tx) => {
      const changed = await new EntryEdits(tx, options).make(edits);
      const ids = new Set(changed.map(({ id }) => id));
      await noteEvents(tx, "memory", [...ids], at);
      return changed;
    });
  }

  async get(scope: string, key: string): Promise<MemoryEntry | undefined> {
    const { findById, findByLabel, toEntry } = await loadQueries();
    const db = await this.#db.queries();
    const seen = (await findById(db, scope, key)) ?? (await findByLabel(db, scope, key));
    return seen && toEntry(seen.row, seen.shared);
  }

  async list(scope: string, listing: MemoryListing = {}): Promise<MemoryPage> {
    const { listEntries } = await loadQueries();
    return listEntries(await this.#db.queries(), scope, listing, this.#clock.now());
  }

  async search(scope: string, search: MemorySearch): Promise<MemoryHits> {
    const { searcher } = await this.#find();
    return searcher.search(await this.#db.queries(), scope, search);
  }

  async history(scope: string, id: string): Promise<readonly MemoryVersion[]> {
    const { readHistory } = await loadQueries();
    const seen = await this.#seen(scope, id);
    return seen === undefined || seen.shared !== undefined
      ? []
      : readHistory(await this.#db.queries(), seen.row);
  }

  async shares(scope: string, id: string): Promise<readonly MemoryShare[]> {
    const { readShares } = await loadQueries();
    const seen = await this.#seen(scope, id);
    return seen === undefined ? [] : readShares(await this.#db.queries(), scope, seen.row);
  }

  /** Resolves once what is kept can be found by its meaning too, or it can't be now. */
  async ready(): Promise<void> {
    const { vectors } = await this.#find();
    await vectors.ready();
  }

  /** How many texts can be found by their meaning, of all there are: of one scope's own, or of everybody's. */
  async progress(scope?: string): Promise<VectorProgress> {
    return (await this.#find()).vectors.progress(scope);
  }

  /**
   * Makes anew what a scope's entries are found by, in one transaction: the index of words and names at once, the
   * vectors of its own entries in the background. Resolves with how many entries that are.
   *
   * @throws the reason of `signal` once that is aborted; nothing has changed then
   */
  async reindex(scope: string, signal?: AbortSignal): Promise<number> {
    const [{ reindexScope }, { vectors }] = await Promise.all([loadQueries(), this.#find()]);
    return this.#db.write((tx) => reindexScope(tx, scope, vectors, signal));
  }

  /** Ends what runs in the background. */
  async close(): Promise<void> {
    await (await this.#finding)?.vectors.close();
  }

  persist(): Promise<void> {
    return this.#db.persist();
  }

  async #seen(scope: string, id: string): Promise<SeenRow | undefined> {
    const { findById } = await loadQueries();
    return findById(await this.#db.queries(), scope, id);
  }

  /** Loaded when it is needed: it brings the query library along. */
  #find(): Promise<Finding> {
    this.#finding ??= openFinding(this.#db, this.#options);
    return this.#finding;
  }
}

/** What entries are found by. */
interface Finding {
  readonly vectors: MemoryVectors;
  readonly searcher: MemorySearcher;
}

async function openFinding(
  db: TypedDatabase<Tables>,
  { clock, embedder, onError = () => {} }: SqlMemoryOptions,
): Promise<Finding> {
  const [{ MemoryVectors }, { MemorySearcher }] = await Promise.all([
    import("./vectors/memory-vectors.ts"),
    import("./search/memory-searcher.ts"),
  ]);
  const vectors = new MemoryVectors(db, { clock, embedder, onError });
  return { vectors, searcher: new MemorySearcher({ clock, vectors, changeMark: () => db.changeMark() }) };
}
