import { hash } from "node:crypto";
import type { Transaction } from "kysely";
import { cutHead, oneLine } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import type { ToolUse, UsageMemory } from "../../../search/index.ts";
import type { Tables } from "./tables.ts";

export interface SqlToolUsageOptions {
  /** Takes secrets out of messages before they are kept. */
  readonly redact: Redact | undefined;
  /** Messages that are kept for one tool of a scope. */
  readonly maxPerTool: number;
}

/** The characters of a message that say what it is about. */
const longestGoal = 500;
/** The most uses of one scope: tools come and go, and each may leave its messages behind. */
const maxPerScope = 20_000;

/** {@link UsageMemory} over any {@link TypedDatabase}. */
export class SqlToolUsage implements UsageMemory {
  readonly #db: TypedDatabase<Tables>;
  readonly #redact: Redact | undefined;
  readonly #maxPerTool: number;

  constructor(db: TypedDatabase<Tables>, { redact, maxPerTool }: SqlToolUsageOptions) {
    this.#db = db;
    this.#redact = redact;
    this.#maxPerTool = maxPerTool;
  }

  async list(scope: string): Promise<readonly ToolUse[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("tool_usage")
      .select(["tool_name", "goal", "at"])
      .where("scope", "=", scope)
      .orderBy("at", "desc")
      .orderBy("tool_name")
      .orderBy("goal_hash")
      .execute();
    return rows.map(({ tool_name: toolName, goal, at }) => ({ toolName, goal, at }));
  }

  async learn(scope: string, { toolName, goal, at }: ToolUse): Promise<void> {
    const kept = this.#toKept(goal);
    if (kept === "") return;
    await this.#db.write(async (tx) => {
      await tx
        .insertInto("tool_usage")
        .values({ scope, tool_name: toolName, goal_hash: hash("sha256", kept), goal: kept, at })
        .onConflict((conflict) => conflict.columns(["scope", "tool_name", "goal_hash"]).doUpdateSet({ at }))
        .execute();
      await forgetOldest(tx, { scope, toolName }, this.#maxPerTool);
      await forgetOldest(tx, { scope }, maxPerScope);
    });
  }

  async forget(scope: string, toolName?: string): Promise<number> {
    return this.#db.write(async (tx) => {
      let gone = tx.deleteFrom("tool_usage").where("scope", "=", scope);
      if (toolName !== undefined) gone = gone.where("tool_name", "=", toolName);
      return Number((await gone.executeTakeFirst()).numDeletedRows);
    });
  }

  /** Cut only once it is clean: nobody would know a secret by its beginning. */
  #toKept(goal: string): string {
    const clean = this.#redact?.(goal) ?? goal;
    return cutHead(oneLine(clean.toWellFormed().replaceAll("\0", " ")), longestGoal);
  }
}

interface Owner {
  readonly scope: string;
  readonly toolName?: string;
}

async function forgetOldest(tx: Transaction<Tables>, { scope, toolName }: Owner, max: number): Promise<void> {
  let kept = tx.selectFrom("tool_usage").where("scope", "=", scope);
  if (toolName !== undefined) kept = kept.where("tool_name", "=", toolName);
  const tooOld = await kept
    .select(["tool_name", "goal_hash"])
    .orderBy("at", "desc")
    .orderBy("tool_name")
    .orderBy("goal_hash")
    .limit(100)
    .offset(max)
    .execute();
  for (const row of tooOld) {
    await tx
      .deleteFrom("tool_usage")
      .where("scope", "=", scope)
      .where("tool_name", "=", row.tool_name)
      .where("goal_hash", "=", row.goal_hash)
      .execute();
  }
}
