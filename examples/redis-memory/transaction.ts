import type { RedisClientType } from "@redis/client";

type Multi = ReturnType<RedisClientType["multi"]>;

/** JSON values that are read under WATCH and written by one MULTI: all, or none where another wrote one that was read. */
export class Transaction {
  readonly #redis: RedisClientType;
  /** As they are within it; undefined where there is none. */
  readonly #values = new Map<string, unknown>();
  readonly #writes = new Map<string, (multi: Multi) => Multi>();

  constructor(redis: RedisClientType) {
    this.#redis = redis;
  }

  async get<Value>(key: string): Promise<Value | undefined> {
    if (!this.#values.has(key)) {
      const [, json] = await Promise.all([this.#redis.watch(key), this.#redis.get(key)]);
      this.#values.set(key, json === null ? undefined : JSON.parse(json));
    }
    return this.#values.get(key) as Value | undefined;
  }

  /** Counts on at once: a number that was given out is never given again. */
  next(counter: string): Promise<number> {
    return this.#redis.incr(counter);
  }

  set(key: string, value: unknown): void {
    this.#values.set(key, value);
    this.#writes.set(key, (multi) => multi.set(key, JSON.stringify(value)));
  }

  delete(key: string): void {
    this.#values.set(key, undefined);
    this.#writes.set(key, (multi) => multi.del(key));
  }

  add(set: string, member: string): void {
    this.#writes.set(`${set} ${member}`, (multi) => multi.sAdd(set, member));
  }

  remove(set: string, member: string): void {
    this.#writes.set(`${set} ${member}`, (multi) => multi.sRem(set, member));
  }

  /** @throws {WatchError} where it has to be made again */
  async commit(): Promise<void> {
    let multi = this.#redis.multi();
    for (const write of this.#writes.values()) multi = write(multi);
    await multi.exec();
  }

  /** Nothing is watched any more. */
  async end(): Promise<void> {
    if (this.#redis.isWatching && this.#redis.isReady) await this.#redis.unwatch();
  }
}
