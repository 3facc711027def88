import { type Clock, formatBytes } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { StoreError } from "../../../db/index.ts";
import type { IndexStore } from "../../../search/index.ts";
import type { Tables } from "./tables.ts";

/** The most bytes of one index; that of 10,000 tools has some ten million. */
const maxBytes = 67_108_864;
/** Each form is one index; those saved longest ago go. */
const maxForms = 8;

/** {@link IndexStore} over any {@link TypedDatabase}. */
export class SqlSearchIndex implements IndexStore {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;

  constructor(db: TypedDatabase<Tables>, options: { readonly clock: Clock }) {
    this.#db = db;
    this.#clock = options.clock;
  }

  async load(form: string): Promise<Uint8Array | undefined> {
    const db = await this.#db.queries();
    const row = await db
      .selectFrom("search_index")
      .select("data")
      .where("form", "=", form)
      .executeTakeFirst();
    return row?.data;
  }

  /** @throws {StoreError} STORE_TOO_LARGE */
  async save(form: string, data: Uint8Array): Promise<void> {
    if (data.length > maxBytes) throw tooLarge(data.length);
    const saved_at = this.#clock.now();
    await this.#db.write(async (tx) => {
      await tx
        .insertInto("search_index")
        .values({ form, data, saved_at })
        .onConflict((conflict) => conflict.column("form").doUpdateSet({ data, saved_at }))
        .execute();
      const tooOld = await tx
        .selectFrom("search_index")
        .select("form")
        .where("form", "!=", form)
        .orderBy("saved_at", "desc")
        .orderBy("form")
        .limit(100)
        .offset(maxForms - 1)
        .execute();
      for (const old of tooOld) await tx.deleteFrom("search_index").where("form", "=", old.form).execute();
    });
  }
}

function tooLarge(bytes: number): StoreError {
  return new StoreError(
    "STORE_TOO_LARGE",
    `Cannot keep a search index of ${formatBytes(bytes)}: the limit is ${formatBytes(maxBytes)}; connect fewer tools, or have the index made anew at each start`,
    { details: { bytes, maxBytes } },
  );
}
