import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Size of two semispaces of 8 MiB. */
const enoughBytes = 16 * 1024 * 1024;
/**
 * Each round allocates some 100 KiB that survive: V8 grows the young generation once enough has survived collections.
 */
const mostRounds = 64;

/**
 * Grows the young generation of V8's heap from 1 to 8 MiB, and keeps it there until V8 takes it back from an idle
 * program. By itself it grows to 64 MiB in a program that answers many calls; at 1 MiB the objects of concurrent calls
 * outlive it and fill the old generation, and modules that are being loaded are copied time and again. V8 takes a size
 * limit only at the start of a process, but a growth factor at any time.
 */
export function growYoungGeneration(): void {
  // Later versions of V8 may not know the flag, and would say so.
  if (Number.parseInt(process.versions.v8, 10) > 13 || readYoungBytes() >= enoughBytes) return;
  setFlagsFromString("--semi-space-growth-factor=8");
  const kept: object[] = [];
  for (let round = 0; round < mostRounds && readYoungBytes() < enoughBytes; round++)
    kept.push(Array.from({ length: 2000 }, (_, at) => [at]));
  setFlagsFromString("--semi-space-growth-factor=1");
}

function readYoungBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space?.space_size ?? enoughBytes;
}
