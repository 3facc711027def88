/** Tags by which work finds what it has yet to do: they change in the same edit as what it does. */
export const promotionWaits = "promotion:waiting";
export const promotionDone = "promotion:done";
export const graphWaits = "graph:waiting";

const generationTag = /^generation:(\d+)$/;

export function generationTagOf(generation: number): string {
  return `generation:${generation}`;
}

/** 0: made of messages; otherwise one more than those it was made of. */
export function generationOf(tags: readonly string[]): number {
  return Math.max(0, ...tags.map((tag) => Number(generationTag.exec(tag)?.[1] ?? 0)));
}
