import { fitsShape, isOfType, isRecord, type JsonSchema, parseJson } from "../base/index.ts";

/** Turns a value of the rewritten form back into one of the original. Never throws; what it cannot read stays. */
export type Restore = (value: unknown) => unknown;

/** The value that a text of JSON stands for, if it is one of the types asked for. */
export function readJson(value: unknown, types: readonly string[] | undefined): unknown {
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  if (parsed === undefined) return value;
  return types === undefined || isOfType(parsed, types) ? parsed : value;
}

export function restoreItems(
  first: readonly (Restore | undefined)[],
  later: Restore | undefined,
): Restore | undefined {
  if (later === undefined && first.every((restore) => restore === undefined)) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown, index) => {
      const restore = index < first.length ? first[index] : later;
      return restore === undefined ? item : restore(item);
    });
  };
}

/** One alternative of a union, before and after. */
export interface RestorableOption {
  readonly original: JsonSchema;
  readonly schema: JsonSchema;
  readonly restore?: Restore | undefined;
}

/** Restores by the first alternative that the value fits in both forms; those that change it are tried first. */
export function restoreByOption(options: readonly RestorableOption[]): Restore | undefined {
  const changing = options.filter(({ restore }) => restore !== undefined);
  if (changing.length === 0) return undefined;
  const ordered = [...changing, ...options.filter(({ restore }) => restore === undefined)];
  return (value) => {
    for (const { original, schema, restore } of ordered) {
      if (!fitsShape(value, schema, {})) continue;
      const restored = restore === undefined ? value : restore(value);
      if (fitsShape(restored, original, {})) return restored;
    }
    return value;
  };
}

/** How the keys of one object go back. */
export interface KeyRestore {
  readonly name: string;
  readonly restore: Restore | undefined;
  /** Null stands for a key left out. */
  readonly dropsNull: boolean;
}

export interface ObjectRestore {
  /** What restores each key, by the rewritten key. */
  readonly keys: ReadonlyMap<string, KeyRestore>;
  /** The key that carries, as JSON text, the keys that are not listed. */
  readonly carrier: string | undefined;
  /** What restores the values of keys that are not listed. */
  readonly others: Restore | undefined;
}

export function restoreObject({ keys, carrier, others }: ObjectRestore): Restore | undefined {
  const isSame = [...keys].every(
    ([key, { name, restore, dropsNull }]) => key === name && restore === undefined && !dropsNull,
  );
  if (isSame && carrier === undefined && others === undefined) return undefined;
  return (value) => {
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
      if (key === carrier) {
        const carried = readJson(part, ["object"]);
        return isRecord(carried) ? Object.entries(carried) : [];
      }
      const known = keys.get(key);
      if (known === undefined) return [[key, others === undefined ? part : others(part)]];
      if (part === null && known.dropsNull) return [];
      return [[known.name, known.restore === undefined ? part : known.restore(part)]];
    });
    return Object.fromEntries(entries);
  };
}
