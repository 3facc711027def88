import type { Kysely } from "kysely";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Likeness } from "../search/relevance.ts";
import type { Tables } from "../tables.ts";
import type { CodeCache } from "./code-cache.ts";
import { type FoundCodes, nearestCodes } from "./code-scan.ts";
import type { Meaning, NearestOptions } from "./meaning.ts";
import type { MemoryModel } from "./memory-models.ts";
import { CodeGauge, signCode } from "./sign-codes.ts";
import { computeCosine } from "./small-vector.ts";
import { readVectors } from "./stored-vectors.ts";

export interface StoredMeaningOptions {
  readonly db: TypedDatabase<Tables>;
  readonly codes: CodeCache;
  readonly model: MemoryModel;
  /** A vector of length 1. */
  readonly unit: Float32Array;
  readonly likeness?: Likeness | undefined;
  readonly weight?: number | undefined;
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
    const db = await this.#options.db.queries();
    const shared = await sharedWith(db, scope);
    const lent = [...shared.values()].flatMap((seqs) => [...seqs]);
    signal?.throwIfAborted();
    const few = lent.length <= fewShared;
    const seqs = await this.#candidates({ scope, shared: few ? none : shared, limit, among, signal });
    if (few) seqs.push(...(await passing(lent, among)));
    signal?.throwIfAborted();
    const cosines = [...(await this.cosines(seqs))].sort(([, one], [, other]) => other - one);
    return new Map(cosines.slice(0, limit));
  }

  async cosines(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { db, model, unit } = this.#options;
    const vectors = await readVectors(await db.queries(), model.id, seqs);
    return new Map([...vectors].map(([seq, vector]) => [seq, computeCosine(unit, vector)]));
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
    const { codes, model, unit } = this.#options;
    const query = { code: signCode(unit), gauge: new CodeGauge(unit) };
    return codes.use(model, [scope, ...shared.keys()], (memory, sets) => {
      const lent =
        only === undefined ? [...shared.values()] : [...shared.values()].map((seqs) => both(seqs, only));
      const groups = [only, ...lent].map((some, at) => ({ pages: sets[at] ?? [], only: some }));
      return nearestCodes(memory, groups, query, most);
    });
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

/** Shared rows by the scope that shares them. */
type SharedRows = ReadonlyMap<string, ReadonlySet<number>>;

const none: SharedRows = new Map();

async function sharedWith(db: Kysely<Tables>, scope: string): Promise<SharedRows> {
  const rows = await db
    .selectFrom("memory_share")
    .innerJoin("memory_entry as entry", "entry.seq", "memory_share.entry_seq")
    .select(["entry.scope as owner", "entry_seq"])
    .where("memory_share.scope", "=", scope)
    .execute();
  const owners = new Map<string, Set<number>>();
  for (const { owner, entry_seq } of rows) {
    const seqs = owners.get(owner) ?? new Set();
    owners.set(owner, seqs.add(entry_seq));
  }
  return owners;
}
