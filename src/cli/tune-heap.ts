import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { growYoungGeneration } from "./young-generation.ts";

/** Delay in which a program starts and answers its first clients. */
const startMs = 1000;
const sampleMs = 1000;
/** Event loop utilization above which a program is under load. */
const busyShare = 0.5;
/** Event loop utilization below which a program is idle. */
const idleShare = 0.1;
/** Idle samples in a row after which garbage is collected. */
const idleSamples = 5;
/** Heap growth that is worth a collection, which takes a tenth of a second. */
const worthBytes = 24 * 1024 * 1024;

/**
 * Fits V8's heap to the load of a long-running program: grows the young generation under load, and returns free memory to
 * the system once the program is idle, which V8 itself does late or never.
 */
export function tuneHeap(): void {
  setTimeout(() => {
    let seen = performance.eventLoopUtilization();
    let least = readHeapBytes();
    let idle = 0;
    setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(seen);
      seen = performance.eventLoopUtilization();
      if (utilization > busyShare) growYoungGeneration();
      idle = utilization < idleShare ? idle + 1 : 0;
      if (idle !== idleSamples) return;
      if (readHeapBytes() > least + worthBytes) collectGarbage();
      least = readHeapBytes();
    }, sampleMs).unref();
  }, startMs).unref();
}

/** Collects all garbage, and returns free pages to the system. */
function collectGarbage(): void {
  // A context gets the function `gc` if the flag is set when it is made.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
}

function readHeapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
