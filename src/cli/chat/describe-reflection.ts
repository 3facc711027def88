import type { Reflection } from "../../app/views/index.ts";

/** The reflection on a task, in a sentence. */
export function describeReflection({ state, why, assessment }: Reflection): string {
  switch (state) {
    case "completed":
      return assessment === undefined || assessment.trim() === ""
        ? "Reflection: it ended without an assessment"
        : `Reflection: ${assessment}`;
    case "failed":
    case "stopped":
    case "paused":
      return why === "breaker"
        ? "Not reflected on: the reflections of that hour had taken all tokens that they may"
        : `The reflection ended early${why === undefined ? "" : ` (${why})`}`;
    case "pending":
    case "running":
    case "parked":
      return "It is being reflected on";
    default:
      return state satisfies never;
  }
}
