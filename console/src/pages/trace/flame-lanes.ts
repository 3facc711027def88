import type { Trace } from "./trace-model.ts";

/** Spans in lanes, so that no two of a lane overlap and each is below the one that led to it. */
export interface Lanes {
  /** Places of spans, the earliest first. */
  readonly lanes: readonly (readonly number[])[];
  readonly laneOf: ReadonlyMap<number, number>;
}

/** More lanes than this for what runs at one time are not looked through: the rest shares the last one. */
const mostBeside = 200;

/** Puts the spans into lanes. @param places in the order of the walk */
export function layLanes(trace: Trace, places: readonly number[]): Lanes {
  const lanes: number[][] = [];
  const ends: number[] = [];
  const laneOf = new Map<number, number>();
  // The sort is stable, so that a span stays after the one that led to it.
  for (const place of places.toSorted((a, b) => trace.getFrom(a) - trace.getFrom(b))) {
    const first = (laneOf.get(trace.columns.parent[place] ?? -1) ?? -1) + 1;
    let lane = first;
    while (lane < first + mostBeside && (ends[lane] ?? 0) > trace.getFrom(place)) lane++;
    laneOf.set(place, lane);
    ends[lane] = Math.max(ends[lane] ?? 0, trace.getTo(place));
    const own = lanes[lane];
    if (own === undefined) lanes[lane] = [place];
    else own.push(place);
  }
  return { lanes: Array.from(lanes, (lane) => lane ?? []), laneOf };
}

/** Finds the place in a lane of the first span that ends after a moment. */
export function findInLane(trace: Trace, lane: readonly number[], ms: number): number {
  let low = 0;
  let high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trace.getTo(lane[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
