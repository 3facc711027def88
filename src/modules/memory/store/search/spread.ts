import type { Place } from "./word-scores.ts";

/** What an entry keeps of its score for each neighbour that is before it in the list: it adds less than one from elsewhere. */
const besideAnother = 0.95;

/** The first `count`, the best first, where one beside another that is taken already counts a little less. */
export function spread<Item extends { readonly seq: number; readonly score: number }>(
  items: readonly Item[],
  findPlace: (seq: number) => Place | undefined,
  count: number,
): Item[] {
  const left = items.map((item) => ({ item, score: item.score }));
  const taken: Item[] = [];
  while (taken.length < count && left.length > 0) {
    let best = 0;
    for (let at = 1; at < left.length; at++) {
      if ((left[at]?.score ?? 0) > (left[best]?.score ?? 0)) best = at;
    }
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    taken.push(next.item);
    const place = findPlace(next.item.seq);
    for (const other of left) {
      if (place !== undefined && isBeside(place, findPlace(other.item.seq))) other.score *= besideAnother;
    }
  }
  return taken;
}

function isBeside(one: Place, other: Place | undefined): boolean {
  if (one.session === null || other === undefined || one.session !== other.session) return false;
  return Math.abs((one.position ?? 0) - (other.position ?? 0)) <= 1;
}
