import { nearestNames } from "../../base/index.ts";
import { toolCollections } from "../collections.ts";
import { listToolNames } from "../deferred-tools.ts";
import { families } from "../own-tools.ts";
import { packPrefix } from "./pack-prefix.ts";

/** The names of the tools that each pack of haft's own may have, and each collection. */
const namesByPack: ReadonlyMap<string, readonly string[]> = new Map([
  ...Array.from(
    Map.groupBy(families, ({ pack }) => pack),
    ([pack, some]) => [pack, some.flatMap(({ name }) => listToolNames(name))] as const,
  ),
  ...toolCollections.map(({ name, tools }) => [name, tools] as const),
]);

/** The names that may follow {@link packPrefix}. */
export const packNames: readonly string[] = Array.from(namesByPack.keys());

/** Each expanded list, with the list as it was written. */
const written = new WeakMap<readonly string[], readonly string[]>();

/**
 * Puts the tools of a pack in the place of each `pack:NAME` in a list of tool names. A list without one is returned as
 * it is.
 *
 * @throws {RangeError} There is no such pack: a list must never bind less than it says.
 */
export function expandPacks(list: readonly string[]): readonly string[] {
  if (!list.some(namesPack)) return list;
  const expanded = list.flatMap((entry) => {
    if (!namesPack(entry)) return [entry];
    const names = namesByPack.get(entry.slice(packPrefix.length));
    if (names === undefined)
      throw new RangeError(`Cannot use a list of tools: ${describeUnknownPack(entry)}`);
    return names;
  });
  const unique = [...new Set(expanded)];
  written.set(unique, list);
  return unique;
}

/** The entries that name tools by themselves in the list that this one was expanded from. */
export function listNamedTools(list: readonly string[]): readonly string[] {
  return (written.get(list) ?? list).filter((entry) => !namesPack(entry));
}

/** Names the nearest packs for an entry whose pack does not exist; undefined for every other entry. */
export function findPackFault(entry: string): string | undefined {
  return namesPack(entry) && !namesByPack.has(entry.slice(packPrefix.length))
    ? describeUnknownPack(entry)
    : undefined;
}

function namesPack(entry: string): boolean {
  return entry.startsWith(packPrefix);
}

function describeUnknownPack(entry: string): string {
  const name = entry.slice(packPrefix.length);
  const near = nearestNames(name, packNames);
  const hint =
    near.length > 0
      ? `did you mean ${near.map((one) => `"${packPrefix}${one}"`).join(" or ")}`
      : `there are ${packNames.join(", ")}; the tools of an MCP server go by "NAME__*"`;
  return `"${entry}" names no pack; ${hint}`;
}
