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
    const now = this.#clock.now();
    await this.#db.write(async (tx) => {
      const rows = await tx
        .selectFrom("tool_definition")
        .selectAll()
        .where("scope", "=", scope)
        .where("source", "=", source)
        .execute();
      const known = new Map(rows.map((row) => [row.name, row]));
      const added: ToolDefinitionRow[] = [];
      for (const { name, text } of offered) {
        const before = known.get(name);
        const row = { scope, source, name, ...settle(before, { text, now, isFirst: rows.length === 0 }) };
        if (before === undefined) added.push(row);
        else if (!isSame(before, row)) {
          await tx
            .updateTable("tool_definition")
            .set(row)
            .where("scope", "=", scope)
            .where("source", "=", source)
            .where("name", "=", name)
            .execute();
        }
      }
      const names = new Set(offered.map(({ name }) => name));
      for (const { name, gone_at } of rows) {
        if (gone_at !== null || names.has(name)) continue;
        await tx
          .updateTable("tool_definition")
          .set({ gone_at: now, offered: null, offered_at: null })
          .where("scope", "=", scope)
          .where("source", "=", source)
          .where("name", "=", name)
          .execute();
      }
      for (let from = 0; from < added.length; from += rowsAtOnce)
        await tx
          .insertInto("tool_definition")
          .values(added.slice(from, from + rowsAtOnce))
          .execute();
    });
    return this.list(scope, source);
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

interface Sight {
  readonly text: string;
  readonly now: number;
  /** Nothing of this source was ever seen. */
  readonly isFirst: boolean;
}

type Settled = Pick<
  ToolDefinitionRow,
  "accepted" | "accepted_at" | "accepted_by" | "offered" | "offered_at" | "seen_at" | "gone_at"
>;

function settle(before: ToolDefinitionRow | undefined, { text, now, isFirst }: Sight): Settled {
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
  const { accepted, offered, seen_at, gone_at } = before;
  const isSameText = accepted === now.accepted && offered === now.offered;
  return isSameText && gone_at === null && now.seen_at - seen_at < sightMs;
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
