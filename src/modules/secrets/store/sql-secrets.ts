import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { StoreError } from "../../../db/index.ts";
import { checkSecret } from "./check-secret.ts";
import { SecretError } from "./errors.ts";
import { KeyRing, type OpenKey } from "./key-ring.ts";
import { readRows } from "./read-rows.ts";
import { seal, unseal } from "./sealing.ts";
import type { SecretKeys } from "./secret-keys.ts";
import type { SecretInfo, SecretKeyInfo, Secrets } from "./secrets.ts";
import type { SecretRow, Tables } from "./tables.ts";

export interface SqlSecretsOptions {
  readonly clock: Clock;
  /** Absent: names can be listed, and values can't be had. */
  readonly keys: SecretKeys | undefined;
}

const maxSecrets = 1000;

/** Secrets over any {@link TypedDatabase}. */
export class SqlSecrets implements Secrets {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #ring: KeyRing;

  constructor(db: TypedDatabase<Tables>, { clock, keys }: SqlSecretsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#ring = new KeyRing(db, keys, clock);
  }

  async set(scope: string, name: string, value: string): Promise<SecretInfo> {
    checkSecret(name, value);
    for (;;) {
      const stored = await this.#trySet(scope, name, value, await this.#ring.active());
      if (stored !== undefined) return toInfo(stored);
    }
  }

  async get(scope: string, name: string): Promise<string | undefined> {
    const db = await this.#db.queries();
    const row = await db
      .selectFrom("secret")
      .selectAll()
      .where("scope", "=", scope)
      .where("name", "=", name)
      .executeTakeFirst();
    return row === undefined ? undefined : this.#read(row);
  }

  async list(scope: string): Promise<readonly SecretInfo[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("secret")
      .select(["scope", "name", "created_at", "changed_at"])
      .where("scope", "=", scope)
      .orderBy("name")
      .execute();
    return rows.map(toInfo);
  }

  async delete(scope: string, name: string): Promise<boolean> {
    const deleted = await this.#db.write((tx) =>
      tx
        .deleteFrom("secret")
        .where("scope", "=", scope)
        .where("name", "=", name)
        .returning("name")
        .executeTakeFirst(),
    );
    return deleted !== undefined;
  }

  async reveal(show: (name: string, value: string) => void): Promise<readonly SecretError[]> {
    const rows = readRows<SecretRow>(this.#db, "select * from secret order by name");
    const faults = new Map<string, SecretError>();
    for (const row of rows) {
      try {
        show(row.name, await this.#read(row));
      } catch (thrown) {
        if (!(thrown instanceof SecretError)) throw thrown;
        faults.set(thrown.message, thrown);
      }
    }
    return [...faults.values()];
  }

  async key(): Promise<SecretKeyInfo | undefined> {
    const row = await this.#ring.activeRow();
    return row && { version: row.version, kind: row.kind, createdAt: row.created_at };
  }

  async rotate(): Promise<SecretKeyInfo> {
    const former = await this.#ring.active();
    const { key, ...made } = await this.#ring.make();
    const now = this.#clock.now();
    const version = former.version + 1;
    await this.#db.write(async (tx) => {
      const retired = await tx
        .updateTable("secret_key")
        .set({ retired_at: now })
        .where("id", "=", former.id)
        .where("retired_at", "is", null)
        .returning("id")
        .executeTakeFirst();
      if (retired === undefined) throw changedMeanwhile(this.#db.path);
      await tx
        .insertInto("secret_key")
        .values({ ...made, version, created_at: now, retired_at: null })
        .execute();
      for (const row of await tx.selectFrom("secret").selectAll().execute()) {
        const sealed = seal(key, formatPlace({ ...row, key_id: made.id }), this.#open(row, former));
        await tx
          .updateTable("secret")
          .set({ key_id: made.id, ...sealed })
          .where("scope", "=", row.scope)
          .where("name", "=", row.name)
          .execute();
      }
    });
    return { version, kind: made.kind, createdAt: now };
  }

  /** Undefined where another process has changed the key in the meantime. */
  #trySet(scope: string, name: string, value: string, key: OpenKey): Promise<SecretRow | undefined> {
    return this.#db.write(async (tx) => {
      const keys = tx.selectFrom("secret_key").select("id").where("retired_at", "is", null);
      if ((await keys.executeTakeFirst())?.id !== key.id) return undefined;
      const sameName = tx.selectFrom("secret").select("created_at").where("scope", "=", scope);
      const standing = await sameName.where("name", "=", name).executeTakeFirst();
      const { count } = await tx
        .selectFrom("secret")
        .select((row) => row.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      if (standing === undefined && count >= maxSecrets) throw full(name);
      const now = this.#clock.now();
      const place = { scope, name, key_id: key.id };
      const row = {
        ...place,
        ...seal(key.key, formatPlace(place), value),
        created_at: standing?.created_at ?? now,
        changed_at: now,
      };
      const { created_at: _made, ...changed } = row;
      await tx
        .insertInto("secret")
        .values(row)
        .onConflict((conflict) => conflict.columns(["scope", "name"]).doUpdateSet(changed))
        .execute();
      return row;
    });
  }

  async #read(row: SecretRow): Promise<string> {
    const key = await this.#ring.openById(row.key_id);
    if (key === undefined) throw tampered(row.name);
    return this.#open(row, key);
  }

  #open(row: SecretRow, { id, key }: OpenKey): string {
    const value = row.key_id === id ? unseal(key, formatPlace(row), row) : undefined;
    if (value === undefined) throw tampered(row.name);
    return value;
  }
}

/** What a value is bound to: a row that is given another name or scope does not open. */
function formatPlace({ scope, name, key_id }: Pick<SecretRow, "scope" | "name" | "key_id">): string {
  return JSON.stringify(["haft secret", scope, name, key_id]);
}

type InfoRow = Pick<SecretRow, "scope" | "name" | "created_at" | "changed_at">;

function toInfo({ scope, name, created_at: createdAt, changed_at: changedAt }: InfoRow): SecretInfo {
  return { scope, name, createdAt, changedAt };
}

function full(name: string): SecretError {
  return new SecretError(
    "SECRET_FULL",
    `Cannot store the secret "${name}": there are ${maxSecrets} already; delete one first`,
  );
}

function tampered(name: string): SecretError {
  return new SecretError(
    "SECRET_TAMPERED",
    `Cannot read the secret "${name}": what is stored was changed, or moved here from another name; delete it and store it again, and see who can write to the store`,
  );
}

function changedMeanwhile(path: string): StoreError {
  return new StoreError(
    "STORE_BUSY",
    `Cannot change the key of the secrets of "${path}": another process has just done so; do it again if need be`,
  );
}
