/** Data that is deeper is an accident or an attack: `JSON.stringify`, and much else, ends the program at a few thousand. */
export const maxJsonDepth = 1000;

/** Whether arrays and objects nest deeper than `limit`, or contain themselves. Needs no stack. */
export function isDeeperThan(data: unknown, limit: number): boolean {
  let level: object[] = isContainer(data) ? [data] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = [...new Set(level.flatMap((container) => Object.values(container).filter(isContainer)))];
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
