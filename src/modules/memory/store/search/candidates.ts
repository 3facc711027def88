import {
  type CompiledQuery,
  type DialectAdapter,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
} from "kysely";
import { RecentMap } from "../../../../base/index.ts";
import { filledUp, prepared } from "../../../../db/index.ts";
import { isMeant } from "../entries/filter.ts";
import type { MemoryFilter } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
import type { Place, ScopeSize } from "./word-scores.ts";

/** The entries that are looked for: of which scope, and which of them. */
export interface Sought {
  readonly scope: string;
  readonly filter: MemoryFilter;
  readonly now: number;
}

export interface SoughtScope extends ScopeSize {
  readonly id: number;
  /** An entry of it has a name. */
  readonly hasNames: boolean;
  /** Something of it is in the graph. */
  readonly hasGraph: boolean;
}

/** An entry that may be a hit. */
export interface Candidate extends Place {
  readonly at: number;
  /** 1: it is meant by the filter. Others only lend their words to their neighbours. */
  readonly fits: number;
}

/** Candidates that were read before, by row number. */
export type KnownCandidates = Map<number, Candidate>;

type Db = Kysely<Tables>;
type Entries = ExpressionBuilder<Tables, "memory_entry">;

/** Undefined where nothing was ever remembered. */
export async function readScope(db: Db, scope: string): Promise<SoughtScope | undefined> {
  const [row] = await scopeStatement(db, 1, [scope]);
  return row && { ...row, hasNames: row.hasNames === 1, hasGraph: row.hasGraph === 1 };
}

const scopeStatement = prepared((db: Kysely<Tables>) =>
  db
    .selectFrom("memory_scope")
    .select(["id", "entries", "words"])
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("memory_name")
            .select("memory_name.entry_seq")
            .whereRef("memory_name.scope_id", "=", "memory_scope.id"),
        )
        .as("hasNames"),
      eb
        .exists(
          eb
            .selectFrom("graph_node")
            .select("graph_node.id")
            .whereRef("graph_node.scope", "=", "memory_scope.scope"),
        )
        .as("hasGraph"),
    ])
    .where("scope", "=", ""),
);

/**
 * What stands beside these: two after each, one before. Only of the scope's own: an entry that another scope shares
 * does not share its neighbours.
 */
export async function readNeighbours(
  db: Db,
  seqs: readonly number[],
  sought: Sought,
): Promise<readonly Candidate[]> {
  if (seqs.length === 0) return [];
  return db
    .selectFrom("memory_entry as said")
    .innerJoin("memory_entry", (join) =>
      join
        .onRef("memory_entry.scope", "=", "said.scope")
        .onRef("memory_entry.session", "=", "said.session")
        .on(sql<boolean>`memory_entry.position between said.position - 1 and said.position + 2`),
    )
    .select(columns)
    .select((eb) => makeFits(eb as unknown as Entries, sought).as("fits"))
    .where("said.scope", "=", sought.scope)
    .where("said.seq", "in", seqs)
    .execute();
}

/** Those of the rows that the scope has. What was read before is in `known`, which is added to. */
export async function readCandidates(
  db: Db,
  seqs: readonly number[],
  sought: Sought,
  known: KnownCandidates,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  const unknown: number[] = [];
  for (const seq of seqs) {
    const candidate = known.get(seq);
    if (candidate === undefined) unknown.push(seq);
    else found.push(candidate);
  }
  for (let start = 0; start < unknown.length; start += rowsAtOnce) {
    const asked = filledUp(unknown.slice(start, start + rowsAtOnce), step, -1);
    for (const row of await readRows(db, asked, sought)) {
      const candidate = toCandidate(row);
      found.push(candidate);
      // Whether one with limits to its validity is meant is another question a moment later.
      if (row.limited === 0) known.set(row.seq, candidate);
    }
  }
  return found;
}

/** A compact copy: a row from SQLite is some ten times as large, and has strings of its own. */
function toCandidate({ seq, kind, role, session, position, at, fits }: Candidate): Candidate {
  return {
    seq,
    kind: shareText(kind),
    role: role === null ? null : shareText(role),
    session: session === null ? null : shareText(session),
    position,
    at,
    fits,
  };
}

/** Kinds, roles and sessions that many entries have. */
const texts = new Map<string, string>();
const mostTexts = 5000;

/** One string for all that are equal. */
function shareText(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= mostTexts) texts.clear();
  texts.set(text, text);
  return text;
}

const rowsAtOnce = 512;
/** Rows are asked for in multiples of so many. */
const step = 64;
/** What stands for the values that differ from search to search in a statement that is kept. */
const standIns = { scope: "\0scope", now: Number.MIN_VALUE, seq: -0.5 };
const mostStatements = 64;
const statements = new WeakMap<DialectAdapter, RecentMap<string, CompiledQuery<KnownRow>>>();

type KnownRow = Candidate & { readonly limited: SqlBool };

/** Reads them by a statement that is built once for each filter and number of rows. */
async function readRows(
  db: Db,
  seqs: readonly number[],
  { scope, filter, now }: Sought,
): Promise<readonly KnownRow[]> {
  const { adapter } = db.getExecutor();
  let kept = statements.get(adapter);
  if (kept === undefined) statements.set(adapter, (kept = new RecentMap(mostStatements)));
  const key = `${seqs.length} ${toKey(filter)}`;
  let statement = kept.get(key);
  if (statement === undefined) {
    statement = db
      .selectFrom("memory_entry")
      .select(columns)
      .select((eb) => [
        makeFits(eb, { scope: standIns.scope, filter, now: standIns.now }).as("fits"),
        eb
          .or([eb("memory_entry.valid_from", "is not", null), eb("memory_entry.valid_to", "is not", null)])
          .as("limited"),
      ])
      .where(
        "seq",
        "in",
        seqs.map(() => standIns.seq),
      )
      .compile();
    kept.set(key, statement);
  }
  let at = 0;
  const parameters = statement.parameters.map((value) => {
    if (value === standIns.seq) return seqs[at++];
    return value === standIns.scope ? scope : value === standIns.now ? now : value;
  });
  const { rows } = await db.executeQuery<KnownRow>({ ...statement, parameters });
  return rows;
}

/** The same for filters that mean the same rows. */
export function toKey(filter: MemoryFilter): string {
  const { kinds, exceptKinds, tiers, tags, labelPrefix, with: also, pinned, owned } = filter;
  const { category, trust, session, speaker, role, channel, afterPosition, since, until, validAt } = filter;
  return JSON.stringify([
    [kinds, exceptKinds, tiers, tags, labelPrefix, also, pinned, owned],
    [category, trust, session, speaker, role, channel, afterPosition, since, until, validAt],
  ]);
}

/** The newest of those that say the query as it is written, character by character. */
export async function readKeywordHits(
  db: Db,
  query: string,
  { limit, ...sought }: Sought & { readonly limit: number },
): Promise<readonly Candidate[]> {
  const pattern = `%${query.trim().replace(/[\\%_]/g, "\\$&")}%`;
  return db
    .selectFrom("memory_entry")
    .select(columns)
    .select((eb) => eb.lit(1).as("fits"))
    .where((eb) =>
      eb.or([
        eb("memory_entry.scope", "=", sought.scope),
        eb(
          "memory_entry.seq",
          "in",
          eb.selectFrom("memory_share").select("entry_seq").where("scope", "=", sought.scope),
        ),
      ]),
    )
    .where((eb) => eb(makeFits(eb, sought), "=", 1))
    .where(sql<boolean>`text like ${pattern} escape '\\'`)
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
}

const columns = [
  "memory_entry.seq",
  "memory_entry.kind",
  "memory_entry.role",
  "memory_entry.session",
  "memory_entry.position",
  "memory_entry.at",
] as const;

/** 1 or 0. What its owner deleted is gone for those it is shared with. */
function makeFits(eb: Entries, { scope, filter, now }: Sought) {
  const own = eb("memory_entry.scope", "=", scope);
  const seen = eb.or([own, eb("memory_entry.deleted_at", "is", null)]);
  const meant = [isMeant(eb, filter, now), seen];
  if (filter.owned === "own") meant.push(own);
  if (filter.owned === "shared") meant.push(eb("memory_entry.scope", "!=", scope));
  return eb.case().when(eb.and(meant)).then(eb.lit(1)).else(eb.lit(0)).end();
}
