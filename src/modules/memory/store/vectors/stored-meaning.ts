import type { Kysely } from "kysely";
import { prepared, type TypedDatabase } from "../../../../db/index.ts";
import type { Likeness } from "../search/relevance.ts";
import type { Tables } from "../tables.ts";
import type { CodeCache } from "./code-cache.ts";
import type { CodeMemory } from "./code-memory.ts";
import { type CodePage, type FoundCodes, nearestCodes } from "./code-scan.ts";
import type { KnownVectors, SharedRows } from "./known-vectors.ts";
import type { Meaning, NearestOptions } from "./meaning.ts";
import type { MemoryModel } from "./memory-models.ts";
import { inParts } from "./parts.ts";
import { CodeGauge, signCode } from "./sign-codes.ts";
import { readVectors } from "./stored-vectors.ts";

export interface StoredMeaningOptions {
  readonly db: TypedDatabase<Tables>;
  readonly codes: CodeCache;
  readonly model: MemoryModel;
  /** A vector of length 1. */
  readonly unit: Float32Array;
  readonly likeness?: Likeness | undefined;
  readonly weight?: number | undefined;
  /** What was read before and is still valid. The search adds to it. */
  readonly known: KnownVectors;
}

/** Found by their codes; of a million these hold all but a hundredth of the ten nearest. */
const mostByCodes = 1000;
/** How many of those are compared exactly, the nearest by the gauge: 200 of up to 10,000 entries, 400 of 100,000, 800 of a million. */
const countExact = (entries: number): number => Math.round(200 * Math.max(1, entries / 10_000) ** 0.3);
/** So few that others share are compared exactly: that is less than to read all codes of their owners. */
const fewShared = 200;
/** The most entries that a filter lets pass: a filter that lets nearly none pass is better given as a set. */
const mostAsked = 16_000;

/** What a text means, compared with the vectors in the store. */
export class StoredMeaning implements Meaning {
  readonly #options: StoredMeaningOptions;

  constructor(options: StoredMeaningOptions) {
    this.#options = options;
  }

  get likeness(): Likeness | undefined {
    return this.#options.likeness;
  }

  get weight(): number | undefined {
    return this.#options.weight;
  }

  async nearest(
    scope: string,
    { limit, among, signal }: NearestOptions,
  ): Promise<ReadonlyMap<number, number>> {
    const { db, known } = this.#options;
    const shared = known.shared.get(scope) ?? (await sharedWith(await db.queries(), scope));
    known.shared.set(scope, shared);
    const lent = [...shared.values()].flatMap((seqs) => [...seqs]);
    signal?.throwIfAborted();
    const few = lent.length <= fewShared;
    const seqs = await this.#candidates({ scope, shared: few ? none : shared, limit, among, signal });
    if (few) seqs.push(...(await passing(lent, among)));
    signal?.throwIfAborted();
    const cosines = [...(await this.cosines(seqs))].sort(([, one], [, other]) => other - one);
    return new Map(cosines.slice(0, limit));
  }

  /** Cosines in the order in which a statement gives the rows, which is that of their numbers within each part. */
  async cosines(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { db, model, unit, known } = this.#options;
    const vectors = known.openVectors(model);
    const unknown = seqs.filter((seq) => !vectors.has(seq));
    if (unknown.length > 0) {
      const read = await readVectors(await db.queries(), model.id, unknown);
      for (const seq of unknown) vectors.add(seq, read.get(seq));
    }
    const inOrder = [...inParts(seqs)].flatMap((some) => some.toSorted((one, other) => one - other));
    return vectors.computeCosines(inOrder, unit);
  }

  async #candidates({ among, ...scan }: CandidatesWanted): Promise<number[]> {
    const { limit, signal } = scan;
    const countWanted = (entries: number) => Math.max(countExact(entries), limit * 2);
    const least = Math.max(mostByCodes, limit * 2);
    if (typeof among !== "function") {
      // So few are compared exactly, all of them.
      if (among !== undefined && among.size <= mostByCodes) return [...among];
      const { seqs, of } = await this.#scan({ ...scan, only: among, most: least });
      return seqs.slice(0, countWanted(of));
    }
    const kept: number[] = [];
    const asked = new Set<number>();
    for (let most = least; ; most *= 4) {
      const { seqs, of, all } = await this.#scan({ ...scan, most });
      const wanted = countWanted(of);
      const next = seqs.filter((seq) => !asked.has(seq));
      while (next.length > 0 && kept.length < wanted) {
        const some = next.splice(0, wanted);
        for (const seq of some) asked.add(seq);
        const counts = await among(some);
        signal?.throwIfAborted();
        kept.push(...some.filter((seq) => counts.has(seq)));
      }
      if (all || kept.length >= wanted || asked.size >= mostAsked) return kept;
    }
  }

  async #scan({ scope, shared, only, most }: ScanWanted): Promise<FoundCodes> {
    const { codes, model, unit, known } = this.#options;
    const query = { code: signCode(unit), gauge: new CodeGauge(unit) };
    const work = (memory: CodeMemory, sets: readonly (readonly CodePage[])[]) => {
      const lent =
        only === undefined ? [...shared.values()] : [...shared.values()].map((seqs) => both(seqs, only));
      const groups = [only, ...lent].map((some, at) => ({ pages: sets[at] ?? [], only: some }));
      return nearestCodes(memory, groups, query, most);
    };
    return codes.use(model, [scope, ...shared.keys()], work, known.currentCodes);
  }
}

interface CandidatesWanted {
  readonly scope: string;
  readonly shared: SharedRows;
  readonly signal: AbortSignal | undefined;
  readonly among: NearestOptions["among"];
  readonly limit: number;
}

interface ScanWanted {
  readonly scope: string;
  readonly shared: SharedRows;
  readonly only?: ReadonlySet<number> | undefined;
  readonly most: number;
}

async function passing(seqs: readonly number[], among: NearestOptions["among"]): Promise<readonly number[]> {
  if (among === undefined || seqs.length === 0) return seqs;
  const counts = typeof among === "function" ? await among(seqs) : among;
  return seqs.filter((seq) => counts.has(seq));
}

function both(some: ReadonlySet<number>, others: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...some].filter((seq) => others.has(seq)));
}

const none: SharedRows = new Map();

async function sharedWith(db: Kysely<Tables>, scope: string): Promise<SharedRows> {
  const rows = await selectShared(db, 1, [scope]);
  const owners = new Map<string, Set<number>>();
  for (const { owner, entry_seq } of rows) {
    const seqs = owners.get(owner) ?? new Set();
    owners.set(owner, seqs.add(entry_seq));
  }
  return owners;
}

const selectShared = prepared((db: Kysely<Tables>) =>
  db
    .selectFrom("memory_share")
    .innerJoin("memory_entry as entry", "entry.seq", "memory_share.entry_seq")
    .select(["entry.scope as owner", "entry_seq"])
    .where("memory_share.scope", "=", ""),
);
