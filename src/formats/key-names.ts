/** Names for the keys of one object that an API takes, and the way back. */
export function renameKeys(
  keys: readonly string[],
  allowed: RegExp | undefined,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(keys.filter((key) => allowed?.test(key) ?? true));
  for (const key of keys) {
    if (taken.has(key)) names.set(key, key);
    else {
      const name = freeName(plainName(key), taken);
      taken.add(name);
      names.set(key, name);
    }
  }
  return names;
}

const maxLength = 64;

function plainName(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=[^A-Za-z_]|$)/, "_");
  return plain.slice(0, maxLength);
}

export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++)
    name = `${wanted.slice(0, maxLength - 1 - String(count).length)}_${count}`;
  return name;
}
