import type { Clock } from "../../../base/index.ts";
import { randomId, type TypedDatabase } from "../../../db/index.ts";
import type { Redact, Trust } from "../../../kernel/index.ts";
import { noteEvents } from "../../events/index.ts";
import type { Entry } from "./entries.ts";
import { SessionError } from "./errors.ts";
import { findRunning, findSession } from "./find-rows.ts";
import { insertMessage, insertSession } from "./insert-rows.ts";
import { isDriven } from "./is-driven.ts";
import type { Run } from "./runs.ts";
import { entryColumns, toEntry, toEpoch, toMessage, toSession } from "./session-row.ts";
import type {
  EntryQuery,
  Epoch,
  NewMessage,
  NewSession,
  Session,
  SessionCopy,
  SessionQuery,
  Sessions,
  WaitingMessage,
} from "./sessions.ts";
import { findShownTrust, findTakenTrust } from "./shown-trust.ts";
import type { SessionRow, Tables } from "./tables.ts";

const mostListed = 1_000;

/** {@link Sessions} over any {@link TypedDatabase}. */
export class SqlSessions implements Sessions {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #redact: Redact;

  constructor(
    db: TypedDatabase<Tables>,
    { clock, redact = (text) => text }: { readonly clock: Clock; readonly redact?: Redact | undefined },
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#redact = redact;
  }

  async open({ scope, agentId, channel, address, title }: NewSession): Promise<Session> {
    return this.#db.write(async (tx) => {
      const there =
        address === undefined
          ? undefined
          : await tx
              .selectFrom("session")
              .selectAll()
              .where("scope", "=", scope)
              .where("agent_id", "=", agentId)
              .where("channel", "=", channel)
              .where("address", "=", address)
              .executeTakeFirst();
      if (there !== undefined) return toSession(there);
      const row = await insertSession(
        tx,
        {
          scope,
          agentId,
          channel,
          ...(address !== undefined && { address }),
          ...(title !== undefined && { title }),
        },
        { now: this.#clock.now(), redact: this.#redact },
      );
      return toSession(row);
    });
  }

  async get(scope: string, id: string): Promise<Session | undefined> {
    const row = await findSession(await this.#db.queries(), scope, id);
    return row && toSession(row);
  }

  async list({
    scope,
    agentId,
    channel,
    exceptChannels = [],
    address,
    limit = 50,
  }: SessionQuery): Promise<readonly Session[]> {
    const db = await this.#db.queries();
    let rows = db.selectFrom("session").selectAll().where("scope", "=", scope);
    if (agentId !== undefined) rows = rows.where("agent_id", "=", agentId);
    if (channel !== undefined) rows = rows.where("channel", "=", channel);
    if (exceptChannels.length > 0) rows = rows.where("channel", "not in", exceptChannels);
    if (address !== undefined) rows = rows.where("address", "=", address);
    const found = await rows
      .orderBy("changed_at", "desc")
      .orderBy("id")
      .limit(Math.min(limit, mostListed))
      .execute();
    return found.map(toSession);
  }

  async rename(scope: string, id: string, title: string): Promise<boolean> {
    const renamed = await this.#db.write((tx) =>
      tx
        .updateTable("session")
        .set({ title: this.#redact(title) })
        .where("scope", "=", scope)
        .where("id", "=", id)
        .returning("id")
        .executeTakeFirst(),
    );
    return renamed !== undefined;
  }

  async fork(
    scope: string,
    id: string,
    { upTo = Number.MAX_SAFE_INTEGER, channel }: SessionCopy = {},
  ): Promise<Session | undefined> {
    return this.#db.write(async (tx) => {
      const from = await findSession(tx, scope, id);
      if (from === undefined) return undefined;
      const copyId = randomId("s", 16);
      const entries = await tx
        .selectFrom("entry")
        .selectAll()
        .where("scope", "=", scope)
        .where("session_id", "=", id)
        .where("seq", "<=", upTo)
        .orderBy("seq")
        .execute();
      const last = entries.at(-1);
      const copy: SessionRow = {
        ...from,
        id: copyId,
        channel: channel ?? from.channel,
        address: copyId,
        epoch: last?.epoch ?? 0,
        last_seq: last?.seq ?? 0,
        summary_seq: entries.findLast(({ kind }) => kind === "summary")?.seq ?? null,
        trust: entries.some(({ trust }) => trust === "untrusted") ? "untrusted" : "trusted",
        created_at: this.#clock.now(),
        changed_at: this.#clock.now(),
      };
      await tx.insertInto("session").values(copy).execute();
      const epochs = await tx
        .selectFrom("epoch")
        .selectAll()
        .where("scope", "=", scope)
        .where("session_id", "=", id)
        .where("n", "<=", copy.epoch)
        .execute();
      for (const epoch of epochs)
        await tx
          .insertInto("epoch")
          .values({ ...epoch, session_id: copyId })
          .execute();
      for (const entry of entries)
        await tx
          .insertInto("entry")
          .values({ ...entry, session_id: copyId })
          .execute();
      await noteEvents(tx, "session", [copyId], copy.created_at);
      return toSession(copy);
    });
  }

  async delete(scope: string, id: string): Promise<boolean> {
    return this.#db.write(async (tx) => {
      if ((await findSession(tx, scope, id)) === undefined) return false;
      const running = await findRunning(tx, scope, id);
      const driven = running.find((run) => isDriven(run, this.#db, this.#clock.now()));
      if (driven !== undefined)
        throw new SessionError(
          "SESSION_BUSY",
          `Cannot delete the session "${id}" while its run "${driven.id}" is under way: stop that first`,
          { details: { sessionId: id, runId: driven.id } },
        );
      for (const table of ["inbox", "entry", "agent_run", "epoch"] as const)
        await tx.deleteFrom(table).where("scope", "=", scope).where("session_id", "=", id).execute();
      await tx.deleteFrom("session").where("scope", "=", scope).where("id", "=", id).execute();
      await noteEvents(tx, "session", [id], this.#clock.now());
      return true;
    });
  }

  async entries(
    scope: string,
    sessionId: string,
    { epoch, after = 0, limit, kind, runId, newest }: EntryQuery = {},
  ): Promise<readonly Entry[]> {
    const db = await this.#db.queries();
    let rows = db
      .selectFrom("entry")
      .select(entryColumns)
      .where("scope", "=", scope)
      .where("session_id", "=", sessionId)
      .where("seq", ">", after);
    if (epoch !== undefined) rows = rows.where("epoch", "=", epoch);
    if (kind !== undefined) rows = rows.where("kind", "=", kind);
    if (runId !== undefined) rows = rows.where("run_id", "=", runId);
    if (newest !== undefined)
      return (await rows.orderBy("seq", "desc").limit(newest).execute()).map(toEntry).reverse();
    if (limit !== undefined) rows = rows.limit(limit);
    return (await rows.orderBy("seq").execute()).map(toEntry);
  }

  async shown(scope: string, sessionId: string): Promise<readonly Entry[]> {
    const db = await this.#db.queries();
    const seq = (await findSession(db, scope, sessionId))?.summary_seq ?? 0;
    const [summary] = seq === 0 ? [] : await this.entries(scope, sessionId, { after: seq - 1, limit: 1 });
    if (summary?.kind !== "summary") return this.entries(scope, sessionId);
    const kept = await this.entries(scope, sessionId, { after: summary.keptFrom - 1 });
    return [summary, ...kept.filter(({ kind }) => kind !== "summary")];
  }

  async shownTrust(run: Pick<Run, "scope" | "sessionId" | "trust">): Promise<Trust> {
    return findShownTrust(await this.#db.queries(), run);
  }

  async takenTrust(run: Pick<Run, "scope" | "sessionId" | "id" | "trust">): Promise<Trust> {
    return findTakenTrust(await this.#db.queries(), run);
  }

  async epoch(scope: string, sessionId: string, n: number): Promise<Epoch | undefined> {
    const db = await this.#db.queries();
    const row = await db
      .selectFrom("epoch")
      .selectAll()
      .where("scope", "=", scope)
      .where("session_id", "=", sessionId)
      .where("n", "=", n)
      .executeTakeFirst();
    return row && toEpoch(row);
  }

  async post(message: NewMessage): Promise<WaitingMessage | undefined> {
    const row = await this.#db.write((tx) =>
      insertMessage(tx, message, { now: this.#clock.now(), redact: this.#redact }),
    );
    return row && toMessage(row);
  }

  async waiting(scope: string, sessionId: string): Promise<readonly WaitingMessage[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("inbox")
      .selectAll()
      .where("scope", "=", scope)
      .where("session_id", "=", sessionId)
      .where("taken_seq", "is", null)
      .orderBy("n")
      .execute();
    return rows.map(toMessage);
  }
}
