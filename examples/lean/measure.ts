import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a person wants, and what serves it. */
export interface Goal {
  /** In the person's words. */
  readonly goal: string;
  /** As an agent puts it when it looks for a tool: what with, and to what end. */
  readonly asked: string;
  /** A list for each step it takes, of the tools that do for that step. Most goals take one. */
  readonly needs: readonly (readonly string[])[];
}

export function readGoals(): readonly Goal[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "goals.json"), "utf8")) as readonly Goal[];
}

/**
 * 1: the right tool came first. Of a goal that takes two, one for each step is among those found, and 1 says that they
 * are the first two. Undefined: not all were found.
 */
export function findPlace({ needs }: Goal, found: readonly string[]): number | undefined {
  const places = needs.map((anyOf) => found.findIndex((name) => anyOf.includes(name)));
  return places.includes(-1) ? undefined : Math.max(...places) - needs.length + 2;
}

export interface Sums {
  readonly first: number;
  readonly firstThree: number;
  readonly firstFive: number;
  readonly firstTen: number;
  readonly notFound: number;
}

export function sumUp(places: readonly (number | undefined)[]): Sums {
  const within = (most: number) => places.filter((place) => place !== undefined && place <= most).length;
  return {
    first: within(1),
    firstThree: within(3),
    firstFive: within(5),
    firstTen: within(10),
    notFound: places.length - within(10),
  };
}
