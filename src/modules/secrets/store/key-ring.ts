import { randomBytes } from "node:crypto";
import { type Clock, isRecord, parseJson } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { randomId } from "../../../db/index.ts";
import { SecretError } from "./errors.ts";
import { readRows } from "./read-rows.ts";
import { deriveKey, keyBytes, type ScryptCost, scryptCost, seal, unseal } from "./sealing.ts";
import type { SecretKeys } from "./secret-keys.ts";
import type { SecretKeyRow, Tables } from "./tables.ts";

/** A key that has proved to be the right one. */
export interface OpenKey {
  readonly id: string;
  readonly version: number;
  readonly key: Uint8Array;
}

/** A key that is not in the store yet. */
export type NewKey = Omit<SecretKeyRow, "version" | "created_at" | "retired_at"> & {
  readonly key: Uint8Array;
};

/** The keys of one store: their rows are in it, they themselves are not. */
export class KeyRing {
  readonly #db: TypedDatabase<Tables>;
  readonly #keys: SecretKeys | undefined;
  readonly #clock: Clock;
  readonly #opened = new Map<string, Promise<OpenKey>>();

  constructor(db: TypedDatabase<Tables>, keys: SecretKeys | undefined, clock: Clock) {
    this.#db = db;
    this.#keys = keys;
    this.#clock = clock;
  }

  async activeRow(): Promise<SecretKeyRow | undefined> {
    const db = await this.#db.queries();
    return db.selectFrom("secret_key").selectAll().where("retired_at", "is", null).executeTakeFirst();
  }

  /** The key for new values; made where there is none. */
  async active(): Promise<OpenKey> {
    const row = (await this.activeRow()) ?? (await this.#begin());
    return this.open(row);
  }

  async openById(id: string): Promise<OpenKey | undefined> {
    const [row] = readRows<SecretKeyRow>(this.#db, "select * from secret_key where id = ?", id);
    return row === undefined ? undefined : this.open(row);
  }

  /** An opening that failed is tried again at the next use. */
  open(row: SecretKeyRow): Promise<OpenKey> {
    let opened = this.#opened.get(row.id);
    if (opened === undefined) {
      opened = this.#open(row);
      opened.catch(() => this.#opened.delete(row.id));
      this.#opened.set(row.id, opened);
    }
    return opened;
  }

  /** Makes a key, and keeps it where keys are kept; the store does not have it yet. */
  async make(): Promise<NewKey> {
    const keys = this.#holder();
    const { kind } = keys;
    const id = randomId("k", 12);
    if (kind === "passphrase") {
      const salt = randomBytes(16);
      const key = await deriveKey(this.#passphrase(), salt, scryptCost);
      if (key === undefined) throw wrongKey(this.#db.path, kind);
      return {
        id,
        kind,
        key,
        salt,
        cost: JSON.stringify(scryptCost),
        ...seal(key, placeOfCheck(id), "haft"),
      };
    }
    const key = randomBytes(keyBytes);
    await keys.write(kind, id, key);
    return { id, kind, key, salt: null, cost: null, ...seal(key, placeOfCheck(id), "haft") };
  }

  /** Two processes may begin at once: one of the two keys becomes the store's, the other is never used. */
  async #begin(): Promise<SecretKeyRow> {
    const { key: _key, ...made } = await this.make();
    return this.#db.write(async (tx) => {
      const standing = await tx
        .selectFrom("secret_key")
        .selectAll()
        .where("retired_at", "is", null)
        .executeTakeFirst();
      if (standing !== undefined) return standing;
      const row = { ...made, version: 1, created_at: this.#clock.now(), retired_at: null };
      await tx.insertInto("secret_key").values(row).execute();
      return row;
    });
  }

  async #open(row: SecretKeyRow): Promise<OpenKey> {
    const { id, version } = row;
    const key = await this.#find(row);
    if (key === undefined || unseal(key, placeOfCheck(id), row) !== "haft")
      throw wrongKey(this.#db.path, row.kind);
    return { id, version, key };
  }

  async #find({ id, kind, salt, cost }: SecretKeyRow): Promise<Uint8Array | undefined> {
    if (kind === "passphrase") {
      const passphrase = this.#passphrase();
      const read = readCost(cost);
      return read === undefined || salt === null ? undefined : deriveKey(passphrase, salt, read);
    }
    const key = await this.#holder().read(kind, id);
    if (key === undefined) {
      const where = kind === "file" ? "key file" : "system keyring";
      throw new SecretError(
        "SECRET_KEY_MISSING",
        `Cannot open the secrets of "${this.#db.path}": their key ${id} is not in the ${where}; put back a copy of it, or delete the secrets and store them again`,
      );
    }
    return key.length === keyBytes ? key : undefined;
  }

  #holder(): SecretKeys {
    if (this.#keys !== undefined) return this.#keys;
    throw new SecretError(
      "SECRET_KEY_MISSING",
      `Cannot open the secrets of "${this.#db.path}": the store was opened without keys; give it \`secretKeys\``,
    );
  }

  #passphrase(): string {
    const holder = this.#holder();
    const passphrase = holder.passphrase();
    if (passphrase !== undefined && passphrase !== "") return passphrase;
    throw new SecretError(
      "SECRET_KEY_MISSING",
      `Cannot open the secrets of "${this.#db.path}": their key is a passphrase, and none was given; ${holder.howToGivePassphrase}`,
    );
  }
}

function placeOfCheck(id: string): string {
  return JSON.stringify(["haft secret key", id]);
}

function readCost(text: string | null): ScryptCost | undefined {
  const cost = parseJson(text ?? "");
  if (!isRecord(cost)) return undefined;
  const { N, r, p } = cost;
  return [N, r, p].every((part) => Number.isSafeInteger(part) && (part as number) > 0)
    ? ({ N, r, p } as ScryptCost)
    : undefined;
}

const remedies: Readonly<Record<SecretKeyRow["kind"], string>> = {
  file: "put back the key file that belongs to this store",
  passphrase: "give the passphrase that they were stored with",
  keyring: "use the system keyring that they were stored with",
};

function wrongKey(path: string, kind: SecretKeyRow["kind"]): SecretError {
  const what = kind === "passphrase" ? "this is not their passphrase" : "this is not their key";
  return new SecretError(
    "SECRET_KEY_WRONG",
    `Cannot open the secrets of "${path}": ${what}; ${remedies[kind]}`,
  );
}
