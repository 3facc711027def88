import type { Entry, Run } from "../../modules/sessions/index.ts";

/** The shortest result that may teach something by itself, in characters. */
const shortResultChars = 200;

/** Whether a task is too small to learn from: at most one step and one call, and a short result. */
export function isTrivial(
  { steps, result = "" }: Pick<Run, "steps" | "result">,
  entries: readonly Entry[],
): boolean {
  const calls = entries.filter(({ kind }) => kind === "result").length;
  return steps <= 1 && calls <= 1 && result.length < shortResultChars;
}
