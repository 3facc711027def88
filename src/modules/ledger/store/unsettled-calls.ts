import { RecentMap } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { RepeatedCall } from "../../../kernel/index.ts";
import { findCall, listUnsettled } from "./call-records.ts";
import { digestParams, storedName } from "./ledger-row.ts";
import type { Tables } from "./tables.ts";

/** A call of an earlier process, or of another one, that may have happened. */
interface Unsettled {
  readonly callId: string;
  /** Absent where nothing is known of its arguments: they are no JSON, or were erased. */
  readonly paramsDigest: string | undefined;
  /** Unix ms. */
  readonly startedAt: number;
}

/** Unsettled calls by tool, the newest first. */
type Suspects = ReadonlyMap<string, readonly Unsettled[]>;

/** The most tasks whose calls are cached. */
const mostTasks = 200;

/**
 * Finds calls with an unknown outcome that must not simply be repeated. They are read once per task, and again when this
 * process takes over a run: until another does, its later calls are made by this process, which knows how they ended.
 */
export class UnsettledCalls {
  readonly #db: TypedDatabase<Tables>;
  readonly #processId: string;
  readonly #byTask = new RecentMap<string, Promise<Suspects>>(mostTasks);

  /** @param processId Calls of this process are not looked at. */
  constructor(db: TypedDatabase<Tables>, processId: string) {
    this.#db = db;
    this.#processId = processId;
  }

  /** When the same call began that may have happened; undefined if there is none. */
  async find(call: RepeatedCall): Promise<number | undefined> {
    const suspects = await this.#read(call);
    if (suspects.size === 0) return undefined;
    const ofTool = suspects.get(storedName(call.toolName));
    if (ofTool === undefined) return undefined;
    const digest = digestParams(call.params);
    for (const { callId, paramsDigest, startedAt } of ofTool) {
      // The careful answer about arguments that can't be compared is that they are the same.
      if (paramsDigest !== undefined && digest !== null && paramsDigest !== digest) continue;
      // The process that made it may have ended it since.
      const now = await findCall(await this.#db.queries(), callId);
      if (now?.state === "unknown" || now?.state === "started") return startedAt;
    }
    return undefined;
  }

  /** Forgets all calls, so that they are read again: others may have become unknown. */
  clear(): void {
    this.#byTask.clear();
  }

  #read(call: RepeatedCall): Promise<Suspects> {
    const [scope, taskId] = [storedName(call.scope), storedName(call.taskId)];
    const key = `${scope} ${taskId}`;
    let reading = this.#byTask.get(key);
    if (reading === undefined) {
      reading = this.#load(scope, taskId);
      void this.#byTask.set(key, reading);
      reading.catch(() => this.#byTask.delete(key)); // Whoever asked is told of it.
    }
    return reading;
  }

  async #load(scope: string, taskId: string): Promise<Suspects> {
    const db = await this.#db.queries();
    const root = db
      .selectFrom("agent_run")
      .select("root_id")
      .where("scope", "=", scope)
      .where("id", "=", taskId);
    const family = await db
      .selectFrom("agent_run")
      .select("id")
      .where("scope", "=", scope)
      .where("root_id", "=", root)
      .execute();
    const suspects = new Map<string, Unsettled[]>();
    for (const id of new Set([taskId, ...family.map((run) => run.id)]))
      for (const { runId, callId, toolName, paramsDigest, startedAt } of await listUnsettled(db, scope, id)) {
        if (runId === this.#processId) continue;
        const ofTool = suspects.get(toolName) ?? [];
        suspects.set(toolName, [...ofTool, { callId, paramsDigest, startedAt }]);
      }
    return suspects;
  }
}
