import type { Transaction } from "kysely";
import { findRun, liveStates, type Run, type SessionTables, toRun } from "../../../sessions/index.ts";
import type { Spent, SpentQuery, SqlUsage, UsageTables } from "../../../usage/index.ts";
import { listBelow, listPart } from "./list-part.ts";

/** Runs of the agent and what they have spent, all read at one time. */
export interface RunTree {
  get(scope: string, id: string): Promise<Run | undefined>;
  /** The runs under way that have this outermost run. */
  listLive(scope: string, rootId: string): Promise<readonly Run[]>;
  /** The runs of a task's session, and those below them, in one tree. */
  listPart(run: Pick<Run, "scope" | "sessionId">): Promise<readonly string[]>;
  /** The runs of these ids, without unknown ones, and those below them, in one tree or several. */
  listBelow(scope: string, runIds: readonly string[]): Promise<readonly string[]>;
  spent(query: SpentQuery): Promise<Spent>;
}

type Queries = Pick<Transaction<SessionTables>, "selectFrom">;

/** The {@link RunTree} that a transaction, or any other query, sees. */
export class SqlRunTree implements RunTree {
  readonly #db: Queries;
  readonly #usage: Pick<SqlUsage, "spentIn">;

  constructor(db: Queries, usage: Pick<SqlUsage, "spentIn">) {
    this.#db = db;
    this.#usage = usage;
  }

  async get(scope: string, id: string): Promise<Run | undefined> {
    const row = await findRun(this.#db, scope, id);
    return row && toRun(row);
  }

  async listLive(scope: string, rootId: string): Promise<readonly Run[]> {
    const rows = await this.#db
      .selectFrom("agent_run")
      .selectAll()
      .where("scope", "=", scope)
      .where("root_id", "=", rootId)
      .where("state", "in", liveStates)
      .execute();
    return rows.map(toRun);
  }

  listPart({ scope, sessionId }: Pick<Run, "scope" | "sessionId">): Promise<readonly string[]> {
    return listPart(this.#db, scope, sessionId);
  }

  listBelow(scope: string, runIds: readonly string[]): Promise<readonly string[]> {
    return listBelow(this.#db, scope, runIds);
  }

  spent(query: SpentQuery): Promise<Spent> {
    return this.#usage.spentIn(this.#db as unknown as Transaction<UsageTables>, query);
  }
}
