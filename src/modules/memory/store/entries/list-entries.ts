import type { Kysely, SelectQueryBuilder } from "kysely";
import { parseJson } from "../../../../base/index.ts";
import type { MemoryListing, MemoryPage } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
import { checkPageLimit, invalid } from "./checked-entry.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";
import { type EntryQuery, ownMeant, sharedMeant } from "./filter.ts";
import { readEntries } from "./find-entries.ts";

/** Further than this nobody counts: where more are meant, that is what `total` says. */
const mostCounted = 10_000;

/** The most parts of one query. */
const mostParts = 8;

/** Columns that together tell every two entries apart: a page goes on after the values of its last one. */
const orders = {
  newest: { columns: ["changed_at", "seq"], direction: "desc" },
  oldest: { columns: ["changed_at", "seq"], direction: "asc" },
  label: { columns: ["label", "seq"], direction: "asc" },
  position: { columns: ["session", "position", "seq"], direction: "asc" },
} as const;
type Order = keyof typeof orders;
type Key = Pick<MemoryEntryRow, (typeof orders)[Order]["columns"][number]>;
type KeyQuery = SelectQueryBuilder<Tables, "memory_entry", Key>;

export async function listEntries(
  db: Kysely<Tables>,
  scope: string,
  listing: MemoryListing,
  now: number,
): Promise<MemoryPage> {
  const { order = "newest", limit = 50, after } = listing;
  checkPageLimit(limit);
  const parts = splitParts(db, scope, listing, now).map((part) => toKeyQuery(part, order));
  const keys = await toPage(parts, order, after)
    .limit(limit + 1)
    .execute();
  const page = keys.slice(0, limit);
  const entries = await readEntries(
    db,
    scope,
    page.map(({ seq }) => seq),
  );
  const isWhole = after === undefined && keys.length <= limit;
  const last = page.at(-1);
  return {
    entries,
    total: isWhole ? keys.length : await count(db, united(parts)),
    next: keys.length > limit && last !== undefined ? toNext(order, last) : undefined,
  };
}

/** Apart where each can be read in order from an index of its own: of a few blocks among many messages, only those. */
function splitParts(
  db: Kysely<Tables>,
  scope: string,
  listing: MemoryListing,
  now: number,
): readonly EntryQuery[] {
  const { owned, tiers, kinds } = listing;
  let own: readonly MemoryListing[] = [listing];
  if (tiers !== undefined && tiers.length > 1)
    own = [...new Set(tiers)].map((tier) => ({ ...listing, tiers: [tier] }));
  else if (kinds !== undefined && kinds.length > 1 && kinds.length <= mostParts)
    own = [...new Set(kinds)].map((kind) => ({ ...listing, kinds: [kind] }));
  return [
    ...(owned === "shared" ? [] : own.map((each) => ownMeant(db, scope, each, now))),
    ...(owned === "own" ? [] : [sharedMeant(db, scope, listing, now)]),
  ];
}

function toKeyQuery(part: EntryQuery, order: Order): KeyQuery {
  const keys = part.select([
    "memory_entry.seq",
    "memory_entry.changed_at",
    "memory_entry.label",
    "memory_entry.session",
    "memory_entry.position",
  ]);
  if (order === "label") return keys.where("memory_entry.label", "is not", null);
  if (order === "position") return keys.where("memory_entry.session", "is not", null);
  return keys;
}

/** Own and shared entries are each read in their order, and no further than the page goes. */
function toPage(parts: readonly KeyQuery[], order: Order, after: string | undefined): KeyQuery {
  const { columns, direction } = orders[order];
  const values = after === undefined ? undefined : parseNext(order, after);
  let page = united(
    values === undefined ? parts : parts.map((part) => beyond(part, columns, direction, values)),
  );
  for (const column of columns) page = page.orderBy(column, direction);
  return page;
}

function united(parts: readonly KeyQuery[]): KeyQuery {
  return parts.reduce((all, part) => all.unionAll(part));
}

function beyond(
  part: KeyQuery,
  columns: (typeof orders)[Order]["columns"],
  direction: "asc" | "desc",
  values: readonly (string | number)[],
): KeyQuery {
  const sign = direction === "desc" ? "<" : ">";
  const [a, b, c] = values as [string, number, number];
  return part.where((eb) =>
    columns.length === 3
      ? eb(
          eb.refTuple("memory_entry.session", "memory_entry.position", "memory_entry.seq"),
          sign,
          eb.tuple(a, b, c),
        )
      : eb(eb.refTuple(`memory_entry.${columns[0]}`, "memory_entry.seq"), sign, eb.tuple(a, b)),
  );
}

async function count(db: Kysely<Tables>, meant: KeyQuery): Promise<number> {
  const { counted } = await db
    .selectFrom(meant.limit(mostCounted).as("meant"))
    .select((eb) => eb.fn.countAll<number>().as("counted"))
    .executeTakeFirstOrThrow();
  return Number(counted);
}

function toNext(order: Order, last: Key): string {
  const values = orders[order].columns.map((column) => last[column]);
  return Buffer.from(JSON.stringify([order, ...values])).toString("base64url");
}

function parseNext(order: Order, next: string): readonly (string | number)[] {
  const parsed = parseJson(Buffer.from(next, "base64url").toString());
  const [of, ...values] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  const sound =
    of === order &&
    values.length === orders[order].columns.length &&
    values.every((value, index) =>
      index === 0 && (order === "label" || order === "position")
        ? typeof value === "string"
        : Number.isSafeInteger(value),
    );
  if (!sound) throw invalid("after", "it is the `next` of a page in the same order");
  return values as (string | number)[];
}
