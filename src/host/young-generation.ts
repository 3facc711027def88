import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** What two halves of 8 MiB take. */
const enoughBytes = 16 * 1024 * 1024;
/** Each keeps some 100 KiB: the young generation grows once more than it held has outlived a collection. */
const mostRounds = 64;
/** Until then a program starts, and its first clients wait for it. */
const startMs = 1000;

/**
 * Lets the young generation of V8's heap grow once, from 1 to 8 MiB, and keeps it there. By itself it grows to 64 MiB in
 * a program that answers many calls, and gives none of it back; with 1 MiB, calls that wait for each other outlive it and
 * fill the old generation. V8 takes a bound only as a process starts, but the factor of growth at any time.
 */
export function growYoungGeneration(): void {
  setTimeout(() => {
    setFlagsFromString("--semi-space-growth-factor=8");
    const kept: object[] = [];
    for (let round = 0; round < mostRounds && readYoungBytes() < enoughBytes; round++)
      kept.push(Array.from({ length: 2000 }, (_, at) => [at]));
    setFlagsFromString("--semi-space-growth-factor=1");
  }, startMs).unref();
}

function readYoungBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space?.space_size ?? enoughBytes;
}
