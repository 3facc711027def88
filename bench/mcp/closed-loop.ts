export interface LoopFigures {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** `callers` loops, each waiting for its answer before it calls again. Times are in milliseconds. */
export async function closedLoop(
  call: () => Promise<unknown>,
  callers: number,
  ms: number,
): Promise<LoopFigures> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + ms;
  const caller = async () => {
    for (let now = performance.now(); now < end; ) {
      await call();
      const after = performance.now();
      times.push(after - now);
      now = after;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), perSecond: times.length / seconds };
}
