import type { Clock } from "../../base/index.ts";
import type { GrantKey, Redact } from "../../kernel/index.ts";
import { boundedText } from "../bounded-text.ts";
import type { Database } from "../database.ts";
import { randomId } from "../random-id.ts";
import type { ToolGrantRow } from "../tables.ts";
import { digestOfKey } from "./grant-digest.ts";
import type { Grant, GrantQuery, GrantStore } from "./grants.ts";

export interface SqlGrantsOptions {
  readonly clock: Clock;
  /** Takes secrets out of the arguments that are kept for people to read; absent, none are kept. */
  readonly redact: Redact | undefined;
}

const maxListed = 1000;
const maxParamsChars = 4000;

/** Grants over any {@link Database}. */
export class SqlGrants implements GrantStore {
  readonly #db: Database;
  readonly #options: SqlGrantsOptions;

  constructor(db: Database, options: SqlGrantsOptions) {
    this.#db = db;
    this.#options = options;
  }

  async find(key: GrantKey): Promise<string | undefined> {
    const digest = digestOfKey(key);
    if (digest === undefined) return undefined;
    const db = await this.#db.queries();
    const standing = db
      .selectFrom("tool_grant")
      .select("id")
      .where("digest", "=", digest)
      .where("revoked_at", "is", null);
    // Most questions have no answer yet, and to see that takes no write lock.
    if ((await standing.executeTakeFirst()) === undefined) return undefined;
    const used = await this.#db.write((tx) =>
      tx
        .updateTable("tool_grant")
        .set((row) => ({ uses: row("uses", "+", 1), last_used_at: this.#options.clock.now() }))
        .where("digest", "=", digest)
        .where("revoked_at", "is", null)
        .returning("id")
        .executeTakeFirst(),
    );
    return used?.id;
  }

  async add(key: GrantKey, by: string): Promise<string> {
    const digest = digestOfKey(key);
    if (digest === undefined) {
      throw new TypeError(
        `Cannot remember an answer for "${key.toolName}": its arguments are not plain JSON; answer each call by itself`,
      );
    }
    return this.#db.write(async (tx) => {
      const standing = await tx
        .selectFrom("tool_grant")
        .select("id")
        .where("digest", "=", digest)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      if (standing !== undefined) return standing.id;
      const id = randomId("g", 10);
      await tx
        .insertInto("tool_grant")
        .values({ id, digest, ...this.#factsOf(key), granted_by: by })
        .execute();
      return id;
    });
  }

  async list({ scope, includeRevoked = false }: GrantQuery = {}): Promise<readonly Grant[]> {
    const db = await this.#db.queries();
    let rows = db.selectFrom("tool_grant").selectAll();
    if (scope !== undefined) rows = rows.where("scope", "=", scope);
    if (!includeRevoked) rows = rows.where("revoked_at", "is", null);
    return (await rows.orderBy("created_at", "desc").orderBy("id").limit(maxListed).execute()).map(toGrant);
  }

  async revoke(id: string, by: string): Promise<boolean> {
    const revoked = await this.#db.write((tx) =>
      tx
        .updateTable("tool_grant")
        .set({ revoked_at: this.#options.clock.now(), revoked_by: by })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returning("id")
        .executeTakeFirst(),
    );
    return revoked !== undefined;
  }

  #factsOf({ scope, agentId, toolName, toolVersion, params }: GrantKey) {
    const { clock, redact } = this.#options;
    return {
      scope,
      agent_id: agentId ?? null,
      tool_name: toolName,
      tool_version: toolVersion,
      params_text:
        redact === undefined ? null : boundedText(redact(JSON.stringify(params) ?? ""), maxParamsChars),
      created_at: clock.now(),
      uses: 0,
      last_used_at: null,
      revoked_at: null,
      revoked_by: null,
    };
  }
}

function toGrant(row: ToolGrantRow): Grant {
  return {
    id: row.id,
    scope: row.scope,
    agentId: row.agent_id ?? undefined,
    toolName: row.tool_name,
    toolVersion: row.tool_version,
    paramsText: row.params_text ?? undefined,
    by: row.granted_by,
    createdAt: row.created_at,
    uses: row.uses,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    revokedBy: row.revoked_by ?? undefined,
  };
}
