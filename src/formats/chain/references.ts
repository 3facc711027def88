import { isRecord } from "../../base/index.ts";
import { laterText } from "../../kernel/index.ts";

/**
 * Stands, in the arguments of a step, for what comes from elsewhere: `input`, or the id of a step before it, and then
 * a JSON Pointer (RFC 6901) into that.
 *
 * @example { "$from": "list/files/0/path" }
 */
export interface Reference {
  readonly $from: string;
}

/** What `input` and the steps so far have come to, by their names. */
export type Sources = ReadonlyMap<string, unknown>;

/** The arguments of a chain itself, among the sources. */
export const inputName = "input";

function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value["$from"] === "string" && Object.keys(value).length === 1;
}

/** The names of the sources that a value refers to, each once. */
export function findSources(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  mapReferences(value, ({ $from }) => found.add(getSource($from)));
  return found;
}

/**
 * The value with every reference replaced by what it stands for.
 *
 * @throws {Error} for a reference that leads nowhere.
 */
export function resolve(value: unknown, sources: Sources): unknown {
  const size = new Size();
  return mapReferences(value, ({ $from }) => {
    const source = getSource($from);
    if (!sources.has(source)) throw new Error(`"${$from}" is not known yet`);
    return size.add(valueAt(sources.get(source), $from));
  });
}

/** Resolves references as {@link resolve} does, with a word in place of what is not known yet. */
export function resolveKnown(value: unknown, sources: Sources): unknown {
  const size = new Size();
  return mapReferences(value, ({ $from }) =>
    sources.has(getSource($from))
      ? size.add(valueAt(sources.get(getSource($from)), $from))
      : laterText($from),
  );
}

const mostChars = 4_000_000;

/**
 * The size of all that references stand for: a few words that refer to a long text again and again would fill
 * the memory.
 */
class Size {
  #chars = 0;

  /** @throws {Error} once it is too much. */
  add(value: unknown): unknown {
    this.#chars += JSON.stringify(value)?.length ?? 0;
    if (this.#chars <= mostChars) return value;
    throw new Error(
      `its references stand for more than ${mostChars} characters in all; refer to less of them`,
    );
  }
}

function mapReferences(value: unknown, map: (reference: Reference) => unknown): unknown {
  if (isReference(value)) return map(value);
  if (Array.isArray(value)) return value.map((item) => mapReferences(item, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapReferences(item, map)]));
}

function getSource(from: string): string {
  return from.split("/", 1)[0] as string;
}

/** Only what a value has of its own: no pointer leads into a prototype. */
function valueAt(value: unknown, from: string): unknown {
  let found = value;
  for (const token of from.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const isPlace = !Array.isArray(found) || /^\d+$/.test(key);
    if (typeof found !== "object" || found === null || !isPlace || !Object.hasOwn(found, key)) {
      const has = Array.isArray(found) ? `a list of ${found.length}` : describe(found);
      throw new Error(`"${from}" leads nowhere: there is no "${key}" in ${has}`);
    }
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

const mostKeys = 10;

function describe(value: unknown): string {
  if (typeof value === "string") return "a text";
  if (!isRecord(value)) return String(value);
  const keys = Object.keys(value);
  const more = keys.length > mostKeys ? ", …" : "";
  return `an object with ${keys.slice(0, mostKeys).join(", ") || "nothing"}${more}`;
}
