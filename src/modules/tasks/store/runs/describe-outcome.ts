import { cutHead, isRecord } from "../../../../base/index.ts";
import type { Run } from "../../../sessions/index.ts";
import type { Task } from "../tasks.ts";

/** About 8,000 tokens: the longest result that is shown to whoever started a task. */
export const mostResultChars = 32_000;

/** Describes to its parent how a task ended, or why it can't go on. */
export function describeOutcome(task: Pick<Task, "id" | "title">, run: Run): string {
  const name = `The task ${task.id} (${task.title})`;
  const { text, rest } = showResult(run);
  const said = text === "" ? "" : `\n\n${text}`;
  switch (run.state) {
    case "completed":
      return `${name} is completed. ${text === "" ? "It gave no answer." : "Its result:"}${said}${rest}`;
    case "failed":
      return `${name} failed${run.why === undefined ? "" : ` [${run.why}]`}. resume_task tries it again.${said}${rest}`;
    case "stopped":
      return `${name} was stopped${run.why === undefined ? "" : `: ${run.why}`}. resume_task goes on with it.${said}${rest}`;
    case "pending":
    case "running":
    case "parked":
    case "paused":
      return `${name} is paused (${run.why ?? "unknown"}). ${describeWayOn(run)}${said}${rest}`;
  }
}

/** What lets a paused task go on. */
export function describeWayOn({ id, why }: Pick<Run, "id" | "why">): string {
  return why === "budget"
    ? `Its budget is spent: a person can raise it with \`haft run --resume ${id} --budget USD\`.`
    : "resume_task goes on with it.";
}

/** The result of a run, as it is shown to whoever started it. */
export function showResult(
  { result = "", settings }: Pick<Run, "result" | "settings">,
  mostChars: number = mostResultChars,
): { readonly text: string; readonly rest: string } {
  const text = result.trim();
  if (text.length <= mostChars) return { text, rest: "" };
  const progress = isRecord(settings) ? settings["progress"] : undefined;
  const artifact = isRecord(progress) ? progress["resultArtifact"] : undefined;
  const rest =
    typeof artifact === "string" ? `artifact_read has all of it as ${artifact}` : "task_replay has all of it";
  return {
    text: cutHead(text, mostChars),
    rest: `\n\n[This is the beginning, of ${text.length} characters; ${rest}.]`,
  };
}
