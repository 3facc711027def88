import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { ArtifactFiles } from "./artifact-files.ts";
import type { Pruned, PruneOptions } from "./artifacts.ts";
import type { ArtifactRow, Tables } from "./tables.ts";

export interface RetentionOptions {
  readonly clock: Clock;
  readonly files: ArtifactFiles | undefined;
  readonly maxTotalBytes: number;
}

/** The bytes of all are added up again after this share of the limit was put. */
const uncheckedShare = 1 / 64;
/** A call that still runs may be about to refer to a young artifact: making room leaves it alone. */
const youngMs = 600_000;
/** A file without a row belongs to a `put` that runs or, past this age, to one that was killed. */
const orphanMs = 3_600_000;

type Found = Pick<ArtifactRow, "id" | "bytes" | "in_file">;

/** Decides which artifacts go, and removes them. */
export class Retention {
  readonly #db: TypedDatabase<Tables>;
  readonly #options: RetentionOptions;
  #uncheckedBytes = Number.POSITIVE_INFINITY;

  constructor(db: TypedDatabase<Tables>, options: RetentionOptions) {
    this.#db = db;
    this.#options = options;
  }

  async prune({ olderThanMs, maxBytes }: PruneOptions): Promise<Pruned> {
    const now = this.#options.clock.now();
    const old =
      olderThanMs === undefined ? nothing : await this.#remove((tx) => findOld(tx, now - olderThanMs));
    const over = maxBytes === undefined ? nothing : await this.#remove((tx) => findOver(tx, maxBytes, now));
    await this.#removeOrphans(now - orphanMs);
    return { artifacts: old.artifacts + over.artifacts, bytes: old.bytes + over.bytes };
  }

  /** Called with what was put. Adds everything up only now and then, so the limit is passed by a little at most. */
  async keepWithinTotal(added: number): Promise<void> {
    const { maxTotalBytes, clock } = this.#options;
    this.#uncheckedBytes += added;
    if (this.#uncheckedBytes < maxTotalBytes * uncheckedShare) return;
    this.#uncheckedBytes = 0;
    await this.#remove((tx) => findOver(tx, maxTotalBytes, clock.now() - youngMs));
  }

  removeOutputs(callId: string): Promise<Pruned> {
    return this.#remove((tx) =>
      tx
        .selectFrom("artifact")
        .select(["id", "bytes", "in_file"])
        .where("call_id", "=", callId)
        .where("kind", "=", "output")
        .execute(),
    );
  }

  async #remove(find: (tx: Transaction<Tables>) => Promise<readonly Found[]>): Promise<Pruned> {
    const removed = await this.#db.write(async (tx) => {
      const found = await find(tx);
      await deleteRows(tx, found);
      return found;
    });
    for (const { id, in_file } of removed) if (in_file === 1) await this.#options.files?.remove(id);
    return { artifacts: removed.length, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async #removeOrphans(before: number): Promise<void> {
    const { files } = this.#options;
    if (files === undefined) return;
    const db = await this.#db.queries();
    for (const id of await files.listOlderThan(before)) {
      const row = await db.selectFrom("artifact").select("id").where("id", "=", id).executeTakeFirst();
      if (row === undefined) await files.remove(id);
    }
  }
}

const nothing: Pruned = { artifacts: 0, bytes: 0 };

/** True of what a file held before a change that can still be undone. */
function isNeeded(row: ExpressionBuilder<Tables, "artifact">): Expression<SqlBool> {
  return row.exists(
    row
      .selectFrom("file_change")
      .select("file_change.seq")
      .whereRef("file_change.former_artifact_id", "=", "artifact.id")
      .whereRef("file_change.scope", "=", "artifact.scope")
      .where("file_change.undone_at", "is", null),
  );
}

function findOld(tx: Transaction<Tables>, before: number): Promise<readonly Found[]> {
  return tx
    .selectFrom("artifact")
    .select(["id", "bytes", "in_file"])
    .where("created_at", "<", before)
    .where((row) => row.not(isNeeded(row)))
    .execute();
}

/** What has to go until `maxBytes` are left, of what is not younger than `before`. */
async function findOver(
  tx: Transaction<Tables>,
  maxBytes: number,
  before: number,
): Promise<readonly Found[]> {
  let over = (await sumOfBytes(tx)) - maxBytes;
  if (over <= 0) return [];
  const candidates = await tx
    .selectFrom("artifact")
    .select(["id", "bytes", "in_file"])
    .where("created_at", "<=", before)
    .orderBy(isNeeded)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const found: Found[] = [];
  for (const candidate of candidates) {
    if (over <= 0) break;
    found.push(candidate);
    over -= candidate.bytes;
  }
  return found;
}

async function sumOfBytes(db: Kysely<Tables>): Promise<number> {
  const { total } = await db
    .selectFrom("artifact")
    .select((row) => row.fn.sum<number | null>("bytes").as("total"))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

async function deleteRows(tx: Transaction<Tables>, found: readonly Found[]): Promise<void> {
  const atOnce = 500;
  for (let start = 0; start < found.length; start += atOnce) {
    const ids = found.slice(start, start + atOnce).map(({ id }) => id);
    await tx.deleteFrom("artifact_part").where("artifact_id", "in", ids).execute();
    await tx.deleteFrom("artifact").where("id", "in", ids).execute();
  }
}
