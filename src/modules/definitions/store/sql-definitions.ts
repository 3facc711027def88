import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Definitions, KeptDefinition, ToolDefinitionText } from "./definitions.ts";
import type { Tables, ToolDefinitionRow } from "./tables.ts";

/** Who accepts what is seen of a source for the first time. */
const firstUse = "first use";
const rowsAtOnce = 100;
/** Sights closer together than this are one: a server that lists its tools often writes nothing. */
const sightMs = 3_600_000;

/** {@link Definitions} over any {@link TypedDatabase}. */
export class SqlDefinitions implements Definitions {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;

  constructor(db: TypedDatabase<Tables>, options: { readonly clock: Clock }) {
    this.#db = db;
    this.#clock = options.clock;
  }

  async list(scope: string, source?: string): Promise<readonly KeptDefinition[]> {
    const db = await this.#db.queries();
    let rows = db.selectFrom("tool_definition").selectAll().where("scope", "=", scope);
    if (source !== undefined) rows = rows.where("source", "=", source);
    return (await rows.orderBy("source").orderBy("name").execute()).map(toKept);
  }

  async see(
    scope: string,
    source: string,
    offered: readonly ToolDefinitionText[],
  ): Promise<readonly KeptDefinition[]> {
    const queries = await this.#db.queries();
    const rows = await listRows(queries, scope, source);
    // Tools seen before are only read, not written: most lists are the same as last time.
    if (isNews(compare(rows, { scope, source, offered, now: this.#clock.now() })))
      return this.#db.write(async (tx) => {
        const seen = { scope, source, offered, now: this.#clock.now() };
        const found = await listRows(tx, scope, source);
        const changes = compare(found, seen);
        await save(tx, seen, changes);
        return apply(found, changes, seen.now).map(toKept);
      });
    return rows.map(toKept);
  }

  async accept(
    scope: string,
    source: string,
    looked: readonly ToolDefinitionText[],
    by: string,
  ): Promise<readonly string[]> {
    const now = this.#clock.now();
    return this.#db.write(async (tx) => {
      const accepted: string[] = [];
      for (const { name, text } of looked) {
        const taken = await tx
          .updateTable("tool_definition")
          .set({ accepted: text, accepted_at: now, accepted_by: by, offered: null, offered_at: null })
          .where("scope", "=", scope)
          .where("source", "=", source)
          .where("name", "=", name)
          .where("offered", "=", text)
          .returning("name")
          .executeTakeFirst();
        if (taken !== undefined) accepted.push(name);
      }
      return accepted;
    });
  }

  async forget(scope: string, source: string): Promise<void> {
    await this.#db.write((tx) =>
      tx.deleteFrom("tool_definition").where("scope", "=", scope).where("source", "=", source).execute(),
    );
  }
}

type Db = Pick<
  Awaited<ReturnType<TypedDatabase<Tables>["queries"]>>,
  "selectFrom" | "updateTable" | "insertInto"
>;

function listRows(db: Db, scope: string, source: string): Promise<ToolDefinitionRow[]> {
  return db
    .selectFrom("tool_definition")
    .selectAll()
    .where("scope", "=", scope)
    .where("source", "=", source)
    .orderBy("name")
    .execute();
}

/** What a source has now. */
interface Sight {
  readonly scope: string;
  readonly source: string;
  readonly offered: readonly ToolDefinitionText[];
  readonly now: number;
}

/** The changes that a sighting makes to existing rows. */
interface Changes {
  readonly added: readonly ToolDefinitionRow[];
  readonly changed: readonly ToolDefinitionRow[];
  readonly gone: readonly string[];
  /** Whether the last sighting is so long ago that this one is stored. */
  readonly isRenewed: boolean;
}

function isNews({ added, changed, gone, isRenewed }: Changes): boolean {
  return isRenewed || added.length + changed.length + gone.length > 0;
}

function compare(rows: readonly ToolDefinitionRow[], { scope, source, offered, now }: Sight): Changes {
  const known = new Map(rows.map((row) => [row.name, row]));
  const added: ToolDefinitionRow[] = [];
  const changed: ToolDefinitionRow[] = [];
  let isRenewed = false;
  for (const { name, text } of offered) {
    const before = known.get(name);
    const row = { scope, source, name, ...settle(before, { text, now, isFirst: rows.length === 0 }) };
    if (before === undefined) added.push(row);
    else if (!isSame(before, row)) changed.push(row);
    else isRenewed ||= now - before.seen_at >= sightMs;
  }
  const names = new Set(offered.map(({ name }) => name));
  const gone = rows.flatMap(({ name, gone_at }) => (gone_at !== null || names.has(name) ? [] : [name]));
  return { added, changed, gone, isRenewed };
}

async function save(tx: Db, { scope, source, now }: Sight, changes: Changes): Promise<void> {
  const update = (row: Partial<ToolDefinitionRow>) =>
    tx.updateTable("tool_definition").set(row).where("scope", "=", scope).where("source", "=", source);
  for (const name of changes.gone) await update(gone(now)).where("name", "=", name).execute();
  for (const row of changes.changed) await update(row).where("name", "=", row.name).execute();
  if (changes.isRenewed) await update({ seen_at: now }).where("gone_at", "is", null).execute();
  for (let from = 0; from < changes.added.length; from += rowsAtOnce)
    await tx
      .insertInto("tool_definition")
      .values(changes.added.slice(from, from + rowsAtOnce))
      .execute();
}

/** The rows as {@link save} leaves them. */
function apply(
  rows: readonly ToolDefinitionRow[],
  { added, changed, gone: goneNames, isRenewed }: Changes,
  now: number,
): readonly ToolDefinitionRow[] {
  const byName = new Map(changed.map((row) => [row.name, row]));
  const names = new Set(goneNames);
  const kept = rows.map((row) => {
    if (names.has(row.name)) return { ...row, ...gone(now) };
    const seen = isRenewed && row.gone_at === null ? { ...row, seen_at: now } : row;
    return byName.get(row.name) ?? seen;
  });
  return [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** The row of a tool that its source no longer has. */
function gone(now: number): Pick<ToolDefinitionRow, "gone_at" | "offered" | "offered_at"> {
  return { gone_at: now, offered: null, offered_at: null };
}

/** One tool as its source lists it now. */
interface ToolSight {
  readonly text: string;
  readonly now: number;
  /** Nothing of this source was ever seen. */
  readonly isFirst: boolean;
}

type Settled = Pick<
  ToolDefinitionRow,
  "accepted" | "accepted_at" | "accepted_by" | "offered" | "offered_at" | "seen_at" | "gone_at"
>;

function settle(before: ToolDefinitionRow | undefined, { text, now, isFirst }: ToolSight): Settled {
  if (isFirst)
    return {
      accepted: text,
      accepted_at: now,
      accepted_by: firstUse,
      offered: null,
      offered_at: null,
      seen_at: now,
      gone_at: null,
    };
  const { accepted = null, accepted_at = null, accepted_by = null } = before ?? {};
  const isAccepted = accepted === text;
  const offeredAt = before?.offered === text ? before.offered_at : now;
  return {
    accepted,
    accepted_at,
    accepted_by,
    offered: isAccepted ? null : text,
    offered_at: isAccepted ? null : offeredAt,
    seen_at: now,
    gone_at: null,
  };
}

function isSame(before: ToolDefinitionRow, now: ToolDefinitionRow): boolean {
  const { accepted, offered, gone_at } = before;
  return accepted === now.accepted && offered === now.offered && gone_at === null;
}

function toKept(row: ToolDefinitionRow): KeptDefinition {
  const { source, name, accepted, accepted_at, accepted_by, offered, offered_at, seen_at, gone_at } = row;
  return {
    source,
    name,
    ...(accepted !== null && {
      accepted: { text: accepted, at: accepted_at ?? seen_at, by: accepted_by ?? firstUse },
    }),
    ...(offered !== null && { offered: { text: offered, at: offered_at ?? seen_at } }),
    seenAt: seen_at,
    ...(gone_at !== null && { goneAt: gone_at }),
  };
}
