import { stemWord } from "./stem.ts";

/** Verbs that tools and people use for one another. */
const deeds: readonly string[] = [
  "create add new make open file start insert post generate draw write",
  "delete remove drop clear cancel forget",
  "update edit change modify set patch rename assign",
  "get retrieve fetch show read view list",
  "find search query lookup discover",
];

const kinds: ReadonlyMap<string, string> = new Map(
  deeds.flatMap((verbs, at) => verbs.split(" ").map((verb) => [stemWord(verb), `=${at}`] as const)),
);

/** The kind of deed that a term names, as a term that no text has. Undefined for most. */
export function findDeed(term: string | undefined): string | undefined {
  return term === undefined ? undefined : kinds.get(term);
}
