import type { Clock } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Redact } from "../../../../kernel/index.ts";
import type { Tables } from "../tables.ts";
import { checkFacts } from "./checked-facts.ts";
import type { GraphQuery } from "./live.ts";
import type {
  Connection,
  ConnectOptions,
  ExploreOptions,
  FindOptions,
  FoundNode,
  GraphFacts,
  GraphTime,
  MemoryGraph,
  Mention,
  NamedEntity,
  Neighbourhood,
} from "./memory-graph.ts";

export interface SqlGraphOptions {
  readonly clock: Clock;
  /** Takes secrets out of names and relations. */
  readonly redact: Redact | undefined;
}

/** Loaded when they are needed: they bring the query library along. */
const loadQueries = () => import("./graph-queries.ts");

/** {@link MemoryGraph} over any {@link TypedDatabase}. */
export class SqlGraph implements MemoryGraph {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #redact: Redact | undefined;

  constructor(db: TypedDatabase<Tables>, options: SqlGraphOptions) {
    this.#db = db;
    this.#clock = options.clock;
    this.#redact = options.redact;
  }

  async add(scope: string, facts: readonly GraphFacts[]): Promise<void> {
    const checked = checkFacts(facts, this.#redact);
    const { addFacts } = await loadQueries();
    await this.#db.write((tx) => addFacts(tx, scope, checked, this.#clock.now()));
  }

  async find(scope: string, name: string, options: FindOptions = {}): Promise<readonly FoundNode[]> {
    const limit = between(1, options.limit ?? 10, 100);
    const { findNodes } = await loadQueries();
    return findNodes(await this.#db.queries(), name, { scope, type: options.type, limit });
  }

  async explore(
    scope: string,
    nodeId: string,
    options: ExploreOptions = {},
  ): Promise<Neighbourhood | undefined> {
    const depth = between(1, options.depth ?? 2, 3);
    const limit = between(1, options.limit ?? 30, 200);
    const queries = await loadQueries();
    return queries.explore(await this.#db.queries(), nodeId, { ...this.#at(scope, options), depth, limit });
  }

  async connect(
    scope: string,
    fromId: string,
    toId: string,
    options: ConnectOptions = {},
  ): Promise<Connection | undefined> {
    const depth = between(1, options.depth ?? 3, 3);
    const queries = await loadQueries();
    return queries.connect(await this.#db.queries(), fromId, toId, { ...this.#at(scope, options), depth });
  }

  async entities(scope: string, entryIds: readonly string[]): Promise<readonly NamedEntity[]> {
    if (entryIds.length === 0) return [];
    const { readEntities } = await loadQueries();
    return readEntities(await this.#db.queries(), scope, entryIds);
  }

  async mentions(
    scope: string,
    nodeIds: readonly string[],
    { limit = 20 }: { readonly limit?: number } = {},
  ): Promise<readonly Mention[]> {
    const { readMentions } = await loadQueries();
    return readMentions(await this.#db.queries(), scope, nodeIds, between(1, limit, 100));
  }

  async forget(scope: string, entryIds: readonly string[]): Promise<void> {
    if (entryIds.length === 0) return;
    const { forgetFacts } = await loadQueries();
    await this.#db.write((tx) => forgetFacts(tx, scope, entryIds));
  }

  #at(scope: string, { at, former = false }: GraphTime): GraphQuery {
    const now = this.#clock.now();
    return { scope, when: former ? "ever" : (at ?? now), now };
  }
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(Math.trunc(value), least), most);
}
