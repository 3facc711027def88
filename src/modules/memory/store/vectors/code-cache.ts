import { FairSemaphore } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { unpackChunk } from "./code-chunk.ts";
import { CodeMemory } from "./code-memory.ts";
import type { CodePage } from "./code-scan.ts";
import { findCodeSet } from "./code-set-writer.ts";
import { pageBytes } from "./kernel/code-kernel.ts";
import type { MemoryModel } from "./memory-models.ts";

export interface CodeCacheOptions {
  /** Past this the codes of those scopes go that were searched longest ago. The scopes of one search always stay. */
  readonly maxBytes: number;
  readonly memory?: CodeMemory | undefined;
}

/** A scope's codes, as they were at a revision of its set. */
interface CachedCodes {
  setId: number;
  revision: number;
  readonly pages: Map<number, CodePage>;
}

/** The chunks of a large set that are read at a time, so that others come to the database in between. */
const chunksAtOnce = 64;

/** Codes of the scopes that were searched last, in the kernel's memory; what another process changed is read again. */
export class CodeCache {
  readonly #db: TypedDatabase<Tables>;
  readonly #maxPages: number;
  readonly #turn = new FairSemaphore(1);
  /** That used longest ago first. */
  readonly #cached = new Map<string, CachedCodes>();
  #memory: CodeMemory | undefined;

  constructor(db: TypedDatabase<Tables>, { maxBytes, memory }: CodeCacheOptions) {
    this.#db = db;
    this.#maxPages = Math.floor(maxBytes / pageBytes);
    this.#memory = memory;
  }

  /**
   * The codes given to `work` are valid only while it runs. Scopes are handled one by one, in their order.
   *
   * @param current scopes that were read since the database changed last, which are not asked for again; added to
   */
  async use<T>(
    model: MemoryModel,
    scopes: readonly string[],
    work: (memory: CodeMemory, pages: readonly (readonly CodePage[])[]) => T,
    current: Set<string> = new Set(),
  ): Promise<T> {
    await this.#turn.acquire("codes");
    try {
      this.#memory ??= new CodeMemory();
      const sets: CachedCodes[] = [];
      for (const scope of scopes) sets.push(await this.#refresh(this.#memory, { model, scope, current }));
      const made = work(
        this.#memory,
        sets.map(({ pages }) => [...pages.values()]),
      );
      this.#evict(this.#memory, sets.length);
      return made;
    } finally {
      this.#turn.release();
    }
  }

  async #refresh(memory: CodeMemory, { model, scope, current }: Refreshed): Promise<CachedCodes> {
    const key = `${model.id} ${scope}`;
    const known = this.#cached.get(key);
    const cached = known ?? { setId: 0, revision: 0, pages: new Map<number, CodePage>() };
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    if (known !== undefined && current.has(key)) return known;
    const set = await findCodeSet(await this.#db.queries(), model, scope);
    if (set === undefined || set.id !== cached.setId) drop(memory, cached);
    if (set !== undefined && set.revision !== cached.revision) {
      await this.#readChanged(memory, model, { ...set, since: cached.revision, pages: cached.pages });
      cached.setId = set.id;
      cached.revision = set.revision;
    }
    current.add(key);
    return cached;
  }

  async #readChanged(
    memory: CodeMemory,
    { codeBytes }: MemoryModel,
    { id, since, pages }: { id: number; since: number; pages: Map<number, CodePage> },
  ): Promise<void> {
    const db = await this.#db.queries();
    for (let after = -1; ; ) {
      const rows = await db
        .selectFrom("memory_code")
        .select(["chunk", "data"])
        .where("set_id", "=", id)
        .where("chunk", ">", after)
        .where("revision", ">", since)
        .orderBy("chunk")
        .limit(chunksAtOnce)
        .execute();
      for (const { chunk, data } of rows) {
        const { codes, seqs } = unpackChunk(data, codeBytes);
        const address = pages.get(chunk)?.address ?? memory.take();
        memory.kernel.bytes().set(codes, address);
        pages.set(chunk, { address, count: seqs.length, seqs });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunksAtOnce) return;
      after = last.chunk;
    }
  }

  #evict(memory: CodeMemory, inUse: number): void {
    let pages = 0;
    for (const cached of this.#cached.values()) pages += cached.pages.size;
    for (const [key, cached] of this.#cached) {
      if (pages <= this.#maxPages || this.#cached.size <= inUse) return;
      pages -= cached.pages.size;
      drop(memory, cached);
      this.#cached.delete(key);
    }
  }
}

interface Refreshed {
  readonly model: MemoryModel;
  readonly scope: string;
  readonly current: Set<string>;
}

function drop(memory: CodeMemory, cached: CachedCodes): void {
  for (const { address } of cached.pages.values()) memory.giveBack(address);
  cached.pages.clear();
  cached.revision = 0;
}
