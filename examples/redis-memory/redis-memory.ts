import { createClient, type RedisClientType, WatchError } from "@redis/client";
import type { Redact } from "haft/kernel";
import {
  EntryChecks,
  type KeptEntry,
  type KeptVersion,
  keptVersionNumbers,
  listHistory,
  listKept,
  type MemoryAuthor,
  type MemoryEdit,
  type MemoryEntry,
  type MemoryHits,
  type MemoryListing,
  type MemoryPage,
  type MemorySearch,
  type MemoryShare,
  type MemoryStore,
  type MemoryVersion,
  searchKept,
  seenBy,
} from "haft/modules/memory";
import { Edits } from "./edits.ts";
import { Keys } from "./keys.ts";
import { Transaction } from "./transaction.ts";

export interface RedisMemoryOptions {
  /** `redis://…`, or `unix://` and the path of a socket. */
  readonly url: string;
  /** Of all keys. @default "haft:" */
  readonly prefix?: string;
  /** Takes secrets out of what is kept. */
  readonly redact?: Redact;
}

/** Memory in Redis: every entry one JSON value, and the set of the ids that a scope has. */
export class RedisMemory implements MemoryStore, AsyncDisposable {
  readonly #redis: RedisClientType;
  /** A connection of its own: what is watched belongs to a connection, so edits take turns on it. */
  readonly #editing: RedisClientType;
  readonly #keys: Keys;
  readonly #checks: EntryChecks;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(redis: RedisClientType, { prefix = "haft:", redact }: RedisMemoryOptions) {
    this.#redis = redis;
    this.#editing = redis.duplicate();
    this.#keys = new Keys(prefix);
    this.#checks = new EntryChecks(redact);
  }

  /** @throws where there is no server */
  static async open(options: RedisMemoryOptions): Promise<RedisMemory> {
    let isOpen = false;
    const redis = createClient({
      url: options.url,
      // Without its server a call fails, rather than waiting until there is one again.
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries, why) => (isOpen ? Math.min(tries * 50, 1000) : why) },
    });
    const memory = new RedisMemory(redis, options);
    // Those whose calls fail are told; this would end the process.
    for (const client of [redis, memory.#editing]) client.on("error", () => {});
    await redis.connect();
    await memory.#editing.connect();
    isOpen = true;
    return memory;
  }

  async edit(
    scope: string,
    edits: readonly MemoryEdit[],
    author: MemoryAuthor,
  ): Promise<readonly MemoryEntry[]> {
    const made = this.#turn.then(() => this.#edit(scope, edits, author));
    this.#turn = made.catch(() => {});
    return made;
  }

  async get(scope: string, key: string): Promise<MemoryEntry | undefined> {
    const byId = seenBy(scope, await this.#read<KeptEntry>(this.#keys.entry(key)));
    if (byId !== undefined) return byId;
    const id = await this.#read<string>(this.#keys.label(scope, key));
    if (id !== undefined) return seenBy(scope, await this.#read<KeptEntry>(this.#keys.entry(id)));
    const seen = (await this.#readAll(scope)).map((kept) => seenBy(scope, kept));
    return seen.find((entry) => entry?.label === key && entry.scope !== scope);
  }

  async list(scope: string, listing: MemoryListing = {}): Promise<MemoryPage> {
    return listKept(scope, await this.#readAll(scope), listing, Date.now());
  }

  async search(scope: string, search: MemorySearch): Promise<MemoryHits> {
    return searchKept(scope, await this.#readAll(scope), search, Date.now());
  }

  async history(scope: string, id: string): Promise<readonly MemoryVersion[]> {
    const kept = await this.#read<KeptEntry>(this.#keys.entry(id));
    if (kept === undefined || kept.entry.scope !== scope) return [];
    const keys = keptVersionNumbers(kept).map((version) => this.#keys.version(id, version));
    return listHistory(kept, await this.#readEach<KeptVersion>(keys));
  }

  async shares(scope: string, id: string): Promise<readonly MemoryShare[]> {
    const kept = await this.#read<KeptEntry>(this.#keys.entry(id));
    if (kept === undefined || seenBy(scope, kept) === undefined) return [];
    return kept.shares.filter((share) => kept.entry.scope === scope || share.scope === scope);
  }

  /** @throws where the server does not write each change to its disk before it says that it was made */
  async persist(): Promise<void> {
    const { appendonly, appendfsync } = await this.#redis.configGet(["appendonly", "appendfsync"]);
    if (appendonly !== "yes" || appendfsync !== "always")
      throw new Error(
        "Cannot say that memory survives the loss of power: set `appendonly yes` and `appendfsync always` in redis.conf",
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#redis.destroy();
    this.#editing.destroy();
  }

  /** Again, where another process was faster: one of them always gets through. */
  async #edit(
    scope: string,
    edits: readonly MemoryEdit[],
    author: MemoryAuthor,
  ): Promise<readonly MemoryEntry[]> {
    for (;;) {
      const tx = new Transaction(this.#editing);
      const options = { keys: this.#keys, checks: this.#checks, scope, author, at: Date.now() };
      try {
        const entries = await new Edits(tx, options).make(edits);
        await tx.commit();
        return entries;
      } catch (error) {
        if (!(error instanceof WatchError)) throw error;
      } finally {
        await tx.end();
      }
    }
  }

  /** All that the scope has, in the order in which it came to have it. */
  async #readAll(scope: string): Promise<readonly KeptEntry[]> {
    const ids = await this.#redis.sMembers(this.#keys.scope(scope));
    const all = await this.#readEach<KeptEntry>(ids.map((id) => this.#keys.entry(id)));
    const since = ({ entry, shares }: KeptEntry) =>
      shares.find((share) => share.scope === scope)?.sharedAt ?? entry.createdAt;
    return all.toSorted((one, other) => since(one) - since(other) || one.seq - other.seq);
  }

  async #read<Value>(key: string): Promise<Value | undefined> {
    return (await this.#readEach<Value>([key]))[0];
  }

  async #readEach<Value>(keys: readonly string[]): Promise<readonly Value[]> {
    const values = keys.length === 0 ? [] : await this.#redis.mGet([...keys]);
    return values.flatMap((json) => (json === null ? [] : [JSON.parse(json) as Value]));
  }
}
