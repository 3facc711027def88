import type { ExpressionBuilder } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { boundedText, randomId } from "../../../db/index.ts";
import {
  coversEffect,
  type GrantKey,
  type GrantTerm,
  type NewGrant,
  type Redact,
} from "../../../kernel/index.ts";
import {
  digestOfBounds,
  digestOfCall,
  digestOfPatterns,
  formerDigestOfCall,
  toOriginText,
} from "../../ledger/index.ts";
import {
  findGrantState,
  formatSession,
  type GrantTime,
  lastingPatterns,
  readPatterns,
  readRun,
  toGrant,
} from "./grant-row.ts";
import type { Grant, GrantQuery, GrantStore } from "./grants.ts";
import type { Tables, ToolGrantRow } from "./tables.ts";
import { whyNoneCovers } from "./why-not.ts";

export interface SqlGrantsOptions {
  readonly clock: Clock;
  /** The id of this store's life: where a channel has no sessions, the life of one opened store is one. */
  readonly runId: string;
  /** Lets other processes know that this one is alive. */
  readonly begin: () => Promise<void>;
  /** A grant that nothing used for so long ends; the yes to a project's own programs does not. */
  readonly decayMs: number;
  /** Takes secrets out of the arguments that are kept for people to read; absent, none are kept. */
  readonly redact: Redact | undefined;
}

const maxListed = 1000;
/** The most grants of one tool that are looked through for the one that covers a call. */
const maxCandidates = 1000;
const maxParamsChars = 4000;
const maxPatterns = 20;
const maxPatternChars = 8000;

/** Grants over any {@link TypedDatabase}. */
export class SqlGrants implements GrantStore {
  readonly #db: TypedDatabase<Tables>;
  readonly #options: SqlGrantsOptions;
  #ownsSession = false;

  constructor(db: TypedDatabase<Tables>, options: SqlGrantsOptions) {
    this.#db = db;
    this.#options = options;
  }

  get decayMs(): number {
    return this.#options.decayMs;
  }

  async find(
    key: GrantKey,
    { peek = false }: { readonly peek?: boolean } = {},
  ): Promise<readonly string[] | undefined> {
    const ids = (await this.#exact(key)) ?? (await this.#covering(key));
    // Most questions have no answer yet, and to see that takes no write lock.
    if (ids === undefined || peek) return ids;
    return (await this.#use(ids)) ? ids : undefined;
  }

  async add(grant: NewGrant): Promise<string> {
    const row = this.#toRow(grant);
    if (row.session !== "") {
      await this.#options.begin();
      this.#ownsSession = true;
    }
    return this.#db.write(async (tx) => {
      const former = await tx
        .selectFrom("tool_grant")
        .selectAll()
        .where("digest", "=", row.digest)
        .where("session", "=", row.session)
        .where("revoked_at", "is", null)
        .where("ended_at", "is", null)
        .executeTakeFirst();
      const stands = former !== undefined && findGrantState(former, this.#time()) === "standing";
      if (stands && !lastsLonger(row, former)) return former.id;
      if (former !== undefined) {
        const now = this.#options.clock.now();
        await tx.updateTable("tool_grant").set({ ended_at: now }).where("id", "=", former.id).execute();
      }
      await tx.insertInto("tool_grant").values(row).execute();
      return row.id;
    });
  }

  async whyNot(key: GrantKey): Promise<string | undefined> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("tool_grant")
      .selectAll()
      .where("scope", "=", key.scope)
      .where("tool_name", "=", key.toolName)
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(maxCandidates)
      .execute();
    return whyNoneCovers(rows, key, { ...this.#time(), runId: this.#options.runId });
  }

  async list({ scope, includeEnded = false }: GrantQuery = {}): Promise<readonly Grant[]> {
    await this.#endLostSessions();
    const db = await this.#db.queries();
    const time = this.#time();
    let rows = db.selectFrom("tool_grant").selectAll();
    if (scope !== undefined) rows = rows.where("scope", "=", scope);
    if (!includeEnded) rows = rows.where((row) => stands(row, time));
    const found = await rows.orderBy("created_at", "desc").orderBy("id").limit(maxListed).execute();
    return found.map((row) => toGrant(row, time));
  }

  async revoke(id: string, by: string): Promise<boolean> {
    await this.#endLostSessions();
    const revoked = await this.#db.write((tx) =>
      tx
        .updateTable("tool_grant")
        .set({ revoked_at: this.#options.clock.now(), revoked_by: by })
        .where("id", "=", id)
        .where((row) => stands(row, this.#time()))
        .returning("id")
        .executeTakeFirst(),
    );
    return revoked !== undefined;
  }

  async revokeAll(by: string, { scope }: Pick<GrantQuery, "scope"> = {}): Promise<number> {
    await this.#endLostSessions();
    const revoked = await this.#db.write((tx) => {
      const all = tx
        .updateTable("tool_grant")
        .set({ revoked_at: this.#options.clock.now(), revoked_by: by })
        .where((row) => stands(row, this.#time()));
      return (scope === undefined ? all : all.where("scope", "=", scope)).returning("id").execute();
    });
    return revoked.length;
  }

  /** Ends what was granted for as long as this store is open, and for sessions of its program. */
  async endSession(): Promise<void> {
    if (!this.#ownsSession) return;
    const { runId } = this.#options;
    await this.#endSessions((await this.#openSessions()).filter((session) => readRun(session) === runId));
  }

  /** Ends the sessions of programs that could not do so themselves. */
  async #endLostSessions(): Promise<void> {
    const sessions = await this.#openSessions();
    if (sessions.length === 0) return;
    const db = await this.#db.queries();
    const runs = await db.selectFrom("run").select("id").execute();
    const alive = new Set([this.#options.runId, ...runs.map(({ id }) => id)]);
    await this.#endSessions(sessions.filter((session) => !alive.has(readRun(session))));
  }

  async #openSessions(): Promise<readonly string[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("tool_grant")
      .select("session")
      .distinct()
      .where("session", "!=", "")
      .where((row) => stands(row, this.#time()))
      .limit(maxListed)
      .execute();
    return rows.map(({ session }) => session);
  }

  async #endSessions(sessions: readonly string[]): Promise<void> {
    if (sessions.length === 0) return;
    await this.#db.write((tx) =>
      tx
        .updateTable("tool_grant")
        .set({ ended_at: this.#options.clock.now() })
        .where("session", "in", sessions)
        .where("ended_at", "is", null)
        .execute(),
    );
  }

  async #exact(key: GrantKey): Promise<readonly string[] | undefined> {
    const digests = [digestOfCall(key), formerDigestOfCall(key)].filter((digest) => digest !== undefined);
    if (digests.length === 0) return undefined;
    const rows = await (await this.#standing(key)).where("digest", "in", digests).limit(1).execute();
    return rows[0] && [rows[0].id];
  }

  /** The fewest looked for is not promised: the newest that covers each effect. */
  async #covering(key: GrantKey): Promise<readonly string[] | undefined> {
    const { scope, agentId, userId, toolName, toolVersion, asked, exactOnly } = key;
    if (asked.length === 0 || exactOnly === true) return undefined;
    const rows = await (await this.#standing(key))
      .where("scope", "=", scope)
      .where("agent_id", "is", agentId ?? null)
      .where("user_id", "is", userId ?? null)
      .where("tool_name", "=", toolName)
      .where("tool_version", "=", toolVersion)
      .where("patterns", "is not", null)
      .where((row) => row.or([row("bounds", "is", null), row("bounds", "=", digestOfBounds(key))]))
      .orderBy("created_at", "desc")
      .limit(maxCandidates)
      .execute();
    const ids = new Set<string>();
    const grants = rows.map((row) => ({ id: row.id, patterns: readPatterns(row) ?? [] }));
    for (const effect of asked) {
      const grant = grants.find(({ patterns }) => patterns.some((one) => coversEffect(one, effect)));
      if (grant === undefined) return undefined;
      ids.add(grant.id);
    }
    return Array.from(ids);
  }

  async #standing(key: Pick<GrantKey, "session" | "longest">) {
    const db = await this.#db.queries();
    const sessions = ["", formatSession(key, this.#options.runId)];
    const standing = db
      .selectFrom("tool_grant")
      .selectAll()
      .where("session", "in", sessions)
      .where((row) => stands(row, this.#time()));
    return key.longest === "session" ? standing.where("term", "!=", "always") : standing;
  }

  /** False where one of them was revoked in the meantime: then none of them is counted. */
  #use(ids: readonly string[]): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const standing = await tx
        .selectFrom("tool_grant")
        .select("id")
        .where("id", "in", ids)
        .where((row) => stands(row, this.#time()))
        .execute();
      if (standing.length < ids.length) return false;
      await tx
        .updateTable("tool_grant")
        .set((row) => ({ uses: row("uses", "+", 1), last_used_at: this.#options.clock.now() }))
        .where("id", "in", ids)
        .execute();
      return true;
    });
  }

  #toRow({ key, patterns, term, by, origin, project }: NewGrant): ToolGrantRow {
    const { clock, redact, runId } = this.#options;
    const now = clock.now();
    // A command means something else in another folder; a path and an origin do not.
    const bounds = patterns?.some(({ kind }) => kind === "run") === true ? digestOfBounds(key) : null;
    const text = patterns === undefined ? null : patternsText(patterns);
    const digest = patterns === undefined ? digestOfCall(key) : digestOfPatterns(key, patterns, bounds);
    if (digest === undefined) {
      throw new TypeError(
        `Cannot remember an answer for "${key.toolName}": its arguments are not plain JSON; answer each call by itself`,
      );
    }
    const isRead = redact !== undefined && patterns === undefined;
    return {
      id: randomId("g", 10),
      digest,
      scope: key.scope,
      agent_id: key.agentId ?? null,
      user_id: key.userId ?? null,
      tool_name: key.toolName,
      tool_version: key.toolVersion,
      params_text: isRead ? boundedText(redact(JSON.stringify(key.params) ?? ""), maxParamsChars) : null,
      granted_by: by,
      created_at: now,
      uses: 0,
      last_used_at: null,
      revoked_at: null,
      revoked_by: null,
      patterns: text,
      bounds,
      folder: findFolder(key, bounds, redact),
      term: typeof term === "number" ? "time" : term,
      session: term === "session" ? formatSession(key, runId) : "",
      expires_at: endOfTerm(term, now),
      ended_at: null,
      origin: toOriginText(origin),
      project: project === undefined ? null : boundedText(redact?.(project) ?? project, maxParamsChars),
    };
  }

  #time(): GrantTime {
    return { now: this.#options.clock.now(), decayMs: this.#options.decayMs };
  }
}

/** Undefined where it holds in any folder, or what people read is not kept. */
function findFolder(
  { allowedPaths, workingFolder }: GrantKey,
  bounds: string | null,
  redact: Redact | undefined,
) {
  const folder = workingFolder ?? allowedPaths[0];
  if (bounds === null || folder === undefined || redact === undefined) return null;
  return boundedText(redact(folder), maxParamsChars);
}

/** {@link findGrantState} as a query. */
function stands(row: ExpressionBuilder<Tables, "tool_grant">, { now, decayMs }: GrantTime) {
  return row.and([
    row("revoked_at", "is", null),
    row("ended_at", "is", null),
    row.or([row("expires_at", "is", null), row("expires_at", ">", now)]),
    row.or([
      row("patterns", "=", lastingPatterns),
      row(row.fn.coalesce("last_used_at", "created_at"), ">", now - decayMs),
    ]),
  ]);
}

function endOfTerm(term: GrantTerm, now: number): number | null {
  if (typeof term !== "number") return null;
  if (Number.isFinite(term) && term > 0) return Math.round(now + term);
  throw new RangeError(`Cannot remember an answer for ${term} ms: give more than 0`);
}

function patternsText(patterns: NonNullable<NewGrant["patterns"]>): string {
  const kept = patterns.map(({ kind, target, reach, confined }) => ({
    kind,
    target,
    reach,
    ...(confined === true && { confined }),
  }));
  const text = JSON.stringify(kept);
  if (kept.length > 0 && kept.length <= maxPatterns && text.length <= maxPatternChars) return text;
  throw new RangeError(
    `Cannot remember an answer by ${kept.length} patterns: give 1 to ${maxPatterns}, of ${maxPatternChars} characters in all; or remember exactly this call`,
  );
}

/** Whether the first of two answers to the same lasts longer. */
function lastsLonger(one: ToolGrantRow, other: ToolGrantRow): boolean {
  if (other.expires_at === null) return false;
  return one.expires_at === null || one.expires_at > other.expires_at;
}
