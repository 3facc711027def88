/** A map of bounded size: what was set longest ago goes first. */
export class RecentMap<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();

  constructor(limit: number, entries: Iterable<readonly [Key, Value]> = []) {
    this.#limit = limit;
    for (const [key, value] of entries) this.set(key, value);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Sets `key` as the most recent; returns the entry that had to go for it. */
  set(key: Key, value: Value): readonly [Key, Value] | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries;
    if (this.#entries.size <= this.#limit || oldest === undefined) return undefined;
    this.#entries.delete(oldest[0]);
    return oldest;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The longest ago first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }
}
