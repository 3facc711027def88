import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../app/store/index.ts";
import type { SecretError } from "./errors.ts";
import type { SecretKeys } from "./secret-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

const canary = 'canary-Zq7/+ é"value';

class MemoryKeys implements SecretKeys {
  readonly kind: SecretKeys["kind"];
  readonly kept = new Map<string, Uint8Array>();
  readonly howToGivePassphrase = "set PASS";
  phrase: string | undefined;

  constructor(kind: SecretKeys["kind"] = "file", phrase?: string) {
    this.kind = kind;
    this.phrase = phrase;
  }
  read(_kind: string, id: string): Uint8Array | undefined {
    return this.kept.get(id);
  }
  write(_kind: string, id: string, key: Uint8Array): void {
    this.kept.set(id, key);
  }
  passphrase(): string | undefined {
    return this.phrase;
  }
}

let files = 0;
function newPath(): string {
  return join(folder, `${files++}`, "haft.db");
}

/** Does something to the rows behind the store's back. */
function alter(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function catchCode(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "none",
    (error: SecretError) => error.code,
  );
}

async function withSecret(path: string, keys: SecretKeys): Promise<Store> {
  const store = await openStore({ path, secretKeys: keys });
  await store.secrets.set("local", "TOKEN", canary);
  return store;
}

describe("Secrets", () => {
  test.each(["file", "keyring", "passphrase"] as const)(
    "get() gives back what set() stored, with a key by %s",
    async (kind) => {
      const path = newPath();
      const keys = new MemoryKeys(kind, "correct horse");
      {
        await using store = await withSecret(path, keys);
        expect(await store.secrets.get("local", "TOKEN")).toBe(canary);
      }
      await using store = await openStore({ path, secretKeys: keys });
      expect(await store.secrets.get("local", "TOKEN")).toBe(canary);
      expect(await store.secrets.get("local", "OTHER")).toBeUndefined();
      expect(await store.secrets.get("other", "TOKEN")).toBeUndefined();
      expect(await store.secrets.key()).toMatchObject({ version: 1, kind });
    },
  );

  test("set() replaces a value and keeps when it was first stored", async () => {
    await using store = await withSecret(":memory:", new MemoryKeys());
    const [first] = await store.secrets.list("local");
    const changed = await store.secrets.set("local", "TOKEN", "another value");
    expect(await store.secrets.get("local", "TOKEN")).toBe("another value");
    expect(await store.secrets.list("local")).toEqual([changed]);
    expect(changed.createdAt).toBe(first?.createdAt);
  });

  test("list() has names and times of one scope, and no value; it needs no key", async () => {
    const path = newPath();
    {
      await using store = await withSecret(path, new MemoryKeys());
      await store.secrets.set("other", "THEIRS", "another value");
    }
    await using store = await openStore({ path });
    const time = expect.any(Number) as number;
    expect(await store.secrets.list("local")).toEqual([
      { scope: "local", name: "TOKEN", createdAt: time, changedAt: time },
    ]);
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_MISSING");
  });

  test("delete() says whether there was one", async () => {
    await using store = await withSecret(":memory:", new MemoryKeys());
    expect(await store.secrets.delete("other", "TOKEN")).toBe(false);
    expect(await store.secrets.delete("local", "TOKEN")).toBe(true);
    expect(await store.secrets.delete("local", "TOKEN")).toBe(false);
    expect(await store.secrets.get("local", "TOKEN")).toBeUndefined();
  });

  test.each([
    ["", "SECRET_NAME"],
    ["1TOKEN", "SECRET_NAME"],
    ["../TOKEN", "SECRET_NAME"],
    ["TO KEN", "SECRET_NAME"],
    ["T".repeat(129), "SECRET_NAME"],
  ])("set() refuses the name %j", async (name, code) => {
    await using store = await openStore({ path: ":memory:", secretKeys: new MemoryKeys() });
    expect(await catchCode(store.secrets.set("local", name, canary))).toBe(code);
  });

  test.each(["", "1234567", "x".repeat(65_537), "half a pair \ud83d"])(
    "set() refuses the value %#, and does not repeat it",
    async (value) => {
      await using store = await openStore({ path: ":memory:", secretKeys: new MemoryKeys() });
      const refused = await store.secrets.set("local", "TOKEN", value).then(
        () => undefined,
        (error: SecretError) => error,
      );
      expect(refused).toMatchObject({ code: "SECRET_VALUE" });
      if (value !== "") expect(refused?.message).not.toContain(value);
      expect(await store.secrets.list("local")).toEqual([]);
    },
  );

  test("set() uses a nonce once: the same value twice looks different", async () => {
    const path = newPath();
    await using store = await withSecret(path, new MemoryKeys());
    await store.secrets.set("local", "TOKEN_2", canary);
    await store.secrets.set("local", "TOKEN_3", canary);
    const db = new DatabaseSync(path);
    const rows = db.prepare("select nonce, sealed from secret").all() as {
      nonce: Uint8Array;
      sealed: Uint8Array;
    }[];
    db.close();
    expect(new Set(rows.map(({ nonce }) => Buffer.from(nonce).toString("hex"))).size).toBe(3);
    expect(new Set(rows.map(({ sealed }) => Buffer.from(sealed).toString("hex"))).size).toBe(3);
  });

  test("no file of the store has the value, the key or the passphrase in it", async () => {
    for (const keys of [new MemoryKeys("file"), new MemoryKeys("passphrase", "correct horse battery")]) {
      const path = newPath();
      await using store = await withSecret(path, keys);
      await store.secrets.rotate();
      const needles = [
        Buffer.from(canary),
        Buffer.from(canary, "utf16le"),
        Buffer.from("correct horse battery"),
        ...[...keys.kept.values()].map((key) => Buffer.from(key)),
      ];
      let bytes = 0;
      for (const entry of readdirSync(join(path, ".."), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const content = readFileSync(join(entry.parentPath, entry.name));
        bytes += content.length;
        for (const needle of needles) expect(content.includes(needle)).toBe(false);
      }
      expect(bytes).toBeGreaterThan(10_000);
    }
  });

  test("get() refuses a wrong passphrase, and set() too, so that no value is lost", async () => {
    const path = newPath();
    await (await withSecret(path, new MemoryKeys("passphrase", "right"))).close();
    await using store = await openStore({ path, secretKeys: new MemoryKeys("passphrase", "wrong") });
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_WRONG");
    expect(await catchCode(store.secrets.set("local", "TOKEN", "another value"))).toBe("SECRET_KEY_WRONG");
    expect(await catchCode(store.secrets.rotate())).toBe("SECRET_KEY_WRONG");
    await using again = await openStore({ path, secretKeys: new MemoryKeys("passphrase", "right") });
    expect(await again.secrets.get("local", "TOKEN")).toBe(canary);
  });

  test("get() says that there is no passphrase, and tries again once there is", async () => {
    const path = newPath();
    const keys = new MemoryKeys("passphrase", "right");
    await (await withSecret(path, keys)).close();
    keys.phrase = undefined;
    await using store = await openStore({ path, secretKeys: keys });
    await expect(store.secrets.get("local", "TOKEN")).rejects.toThrow(/^Cannot open .*; set PASS$/);
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_MISSING");
    keys.phrase = "right";
    expect(await store.secrets.get("local", "TOKEN")).toBe(canary);
  });

  test("get() refuses a key of the same id that is another, and one that is gone", async () => {
    const path = newPath();
    const keys = new MemoryKeys();
    await (await withSecret(path, keys)).close();
    const [id] = [...keys.kept.keys()];
    keys.kept.set(id as string, randomBytes(32));
    {
      await using store = await openStore({ path, secretKeys: keys });
      expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_WRONG");
    }
    keys.kept.clear();
    await using store = await openStore({ path, secretKeys: keys });
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_MISSING");
    expect(await catchCode(store.secrets.set("local", "TOKEN", canary))).toBe("SECRET_KEY_MISSING");
  });

  test.each([
    [
      "a changed byte",
      "update secret set sealed = cast(x'00' || substr(sealed, 2) as blob) where name = 'TOKEN'",
    ],
    ["a changed nonce", "update secret set nonce = zeroblob(12) where name = 'TOKEN'"],
    ["an empty value", "update secret set sealed = x'' where name = 'TOKEN'"],
    ["a value cut to its tag", "update secret set sealed = substr(sealed, -16) where name = 'TOKEN'"],
    ["a short tag", "update secret set sealed = substr(sealed, 1, length(sealed) - 4) where name = 'TOKEN'"],
    [
      "the row of another name",
      "delete from secret where name = 'TOKEN'; update secret set name = 'TOKEN' where name = 'OTHER'",
    ],
    [
      "the row of another scope",
      "delete from secret where name = 'TOKEN'; update secret set scope = 'local', name = 'TOKEN' where name = 'THEIRS'",
    ],
    ["a key that is not there", "update secret set key_id = 'k_none' where name = 'TOKEN'"],
  ])("get() refuses %s, and reveal() passes over it", async (_, sql) => {
    const path = newPath();
    const keys = new MemoryKeys();
    {
      await using store = await withSecret(path, keys);
      await store.secrets.set("local", "OTHER", "another value");
      await store.secrets.set("other", "THEIRS", "value of theirs");
      await store.secrets.set("local", "SOUND", "sound value");
    }
    alter(path, sql);
    await using store = await openStore({ path, secretKeys: keys });
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_TAMPERED");
    const seen: string[] = [];
    const faults = await store.secrets.reveal((name) => seen.push(name));
    expect(faults.map(({ code }) => code)).toEqual(["SECRET_TAMPERED"]);
    expect(seen).toContain("SOUND");
    expect(seen).not.toContain("TOKEN");
    await expect(store.secrets.rotate()).rejects.toMatchObject({ code: "SECRET_TAMPERED" });
    expect(await store.secrets.key()).toMatchObject({ version: 1 });
    expect(await store.secrets.get("local", "SOUND")).toBe("sound value");
  });

  test("get() refuses a derivation that would take the machine down", async () => {
    const path = newPath();
    const keys = new MemoryKeys("passphrase", "right");
    await (await withSecret(path, keys)).close();
    alter(path, `update secret_key set cost = '{"N":1073741824,"r":8,"p":1}'`);
    await using store = await openStore({ path, secretKeys: keys });
    expect(await catchCode(store.secrets.get("local", "TOKEN"))).toBe("SECRET_KEY_WRONG");
  });

  test("rotate() encrypts everything with a new key, and another process goes on", async () => {
    const path = newPath();
    const keys = new MemoryKeys();
    await using store = await withSecret(path, keys);
    await using other = await openStore({ path, secretKeys: keys });
    expect(await other.secrets.get("local", "TOKEN")).toBe(canary);
    await store.secrets.set("other", "THEIRS", "value of theirs");
    expect(await store.secrets.rotate()).toMatchObject({ version: 2, kind: "file" });
    expect(keys.kept.size).toBe(2);
    expect(await other.secrets.get("local", "TOKEN")).toBe(canary);
    await other.secrets.set("local", "NEWER", "newer value");
    const db = new DatabaseSync(path);
    const used = db
      .prepare("select distinct secret_key.version from secret join secret_key on secret_key.id = key_id")
      .all();
    db.close();
    expect(used).toEqual([{ version: 2 }]);
    keys.kept.delete([...keys.kept.keys()][0] as string);
    await using fresh = await openStore({ path, secretKeys: keys });
    expect(await fresh.secrets.get("local", "TOKEN")).toBe(canary);
    expect(await fresh.secrets.get("other", "THEIRS")).toBe("value of theirs");
    expect(await fresh.secrets.get("local", "NEWER")).toBe("newer value");
  });

  test("rotate() moves from a key file to a passphrase", async () => {
    const path = newPath();
    const keys = new MemoryKeys("file");
    await (await withSecret(path, keys)).close();
    const both = new MemoryKeys("passphrase", "typed");
    for (const [id, key] of keys.kept) both.kept.set(id, key);
    {
      await using store = await openStore({ path, secretKeys: both });
      expect(await store.secrets.rotate()).toMatchObject({ version: 2, kind: "passphrase" });
    }
    await using store = await openStore({ path, secretKeys: new MemoryKeys("passphrase", "typed") });
    expect(await store.secrets.get("local", "TOKEN")).toBe(canary);
  });

  test("set() of two stores at once, the first of all, leaves one key that opens both", async () => {
    const path = newPath();
    const keys = new MemoryKeys();
    await using one = await openStore({ path, secretKeys: keys });
    await using two = await openStore({ path, secretKeys: keys });
    await Promise.all([
      one.secrets.set("local", "ONE", "value of one"),
      two.secrets.set("local", "TWO", "value of two"),
    ]);
    expect(await two.secrets.get("local", "ONE")).toBe("value of one");
    expect(await one.secrets.get("local", "TWO")).toBe("value of two");
    expect(await one.secrets.key()).toMatchObject({ version: 1 });
  });
});
