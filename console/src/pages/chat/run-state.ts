import type { Run } from "./types.ts";

const whys: ReadonlyMap<string, string> = new Map([
  ["steps", "it has made all the steps it may make"],
  ["repetition", "it makes the same call again and again"],
  ["budget", "its budget is spent"],
  ["context", "the conversation is too long for the model"],
  ["approval", "a question waits for an answer"],
  ["task", "it waits for a task"],
  ["rate-limit", "it waits until the model can be asked again"],
]);

/** Why a run does not go on, in words. */
export function describeWhy(why: string): string {
  return whys.get(why) ?? why;
}

/** Whether a run makes steps, or is about to. */
export function isUnderWay({ state }: Run): boolean {
  return state === "running" || state === "pending";
}
