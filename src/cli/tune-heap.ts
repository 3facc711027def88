import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { growYoungGeneration } from "./young-generation.ts";

/** Delay until a program has started and answered its first clients. */
const startMs = 1000;
const lookMs = 1000;
/** The share of its time for which a program under load works. */
const busyShare = 0.5;
/** The share of its time for which an idle program works at most. */
const idleShare = 0.1;
/** How many looks in a row a program is idle before its garbage is collected. */
const idleLooks = 5;
/** Less is not worth the tenth of a second that the collection takes. */
const worthBytes = 24 * 1024 * 1024;

/**
 * Keeps V8's heap as large as the load of a program that stays.
 *
 * Under load its young generation grows. Once the program is idle, what the load left is given back: V8 does so late or
 * never.
 */
export function tendHeap(): void {
  setTimeout(() => {
    let seen = performance.eventLoopUtilization();
    let least = readHeapBytes();
    let idle = 0;
    setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(seen);
      seen = performance.eventLoopUtilization();
      if (utilization > busyShare) growYoungGeneration();
      idle = utilization < idleShare ? idle + 1 : 0;
      if (idle !== idleLooks) return;
      if (readHeapBytes() > least + worthBytes) collectGarbage();
      least = readHeapBytes();
    }, lookMs).unref();
  }, startMs).unref();
}

/** Collects all garbage, and gives the pages back that are free then. */
function collectGarbage(): void {
  // Contexts have this function if they are made while the flag is set.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
}

function readHeapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
