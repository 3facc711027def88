/**
 * The part of the global class `Headers` that packages of providers use. Node loads its whole fetch for the global one,
 * so the built program gives them this class. The connector checks names and values.
 */
export class PlainHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  constructor(init: NonNullable<RequestInit["headers"]> = {}) {
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(String(name), String(value));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), trim(value));
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${trim(value)}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  /** The headers in the order of their names. */
  *entries(): IterableIterator<[string, string]> {
    yield* [...this.#values].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  forEach(use: (value: string, name: string) => void): void {
    for (const [name, value] of this) use(value, name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

function trim(value: string): string {
  return value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
}
