import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from "kysely";

/** Runs with these values, in the order in which the statement has them. */
type Prepared<Known, Row> = (
  db: Kysely<Known>,
  size: number,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/**
 * A statement that is built once for each size, a number of rows or of words, with any values: to build it costs more
 * than the engine needs to run it. For what runs often, and has few sizes.
 */
export function prepared<Known, Row>(
  build: (db: Kysely<Known>, size: number) => Compilable<Row>,
): Prepared<Known, Row> {
  const built = new WeakMap<DialectAdapter, Map<number, CompiledQuery<Row>>>();
  return async (db, size, values) => {
    const { adapter } = db.getExecutor();
    let sizes = built.get(adapter);
    if (sizes === undefined) built.set(adapter, (sizes = new Map()));
    let query = sizes.get(size);
    if (query === undefined) sizes.set(size, (query = build(db, size).compile()));
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values });
    return rows;
  };
}

/** Fills a list of values up to the next multiple of `step`, so that there are few sizes and so few statements. */
export function filledUp<Item>(items: readonly Item[], step: number, filler: Item): Item[] {
  const size = Math.ceil(items.length / step) * step;
  return Array.from({ length: size }, (_, at) => items[at] ?? filler);
}

/** Rows in one statement: well below the number of values that engines take. */
const rowsAtOnce = 32;

/** Parts of one size and the rest: few statements, however many rows there are. */
export function* splitParts<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += rowsAtOnce) yield items.slice(start, start + rowsAtOnce);
}
