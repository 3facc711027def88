import type { TaskColumnName, TaskState, TaskView } from "../../../../src/server/console/api/index.ts";

/** States as people say them, each with a sign, since colour alone means nothing. */
export const states: Readonly<Record<TaskState, readonly [sign: string, word: string, colour: string]>> = {
  DEFINED: ["◌", "waits for others", "completed"],
  READY: ["○", "ready", "completed"],
  ASSIGNED: ["▸", "taken", "started"],
  IN_PROGRESS: ["▸", "under way", "started"],
  WAITING_INPUT: ["?", "waits for an answer", "denied"],
  PAUSED: ["‖", "paused", "completed"],
  VERIFYING: ["▸", "being verified", "started"],
  AWAITING_APPROVAL: ["●", "waits for approval", "denied"],
  AWAITING_PLAN_APPROVAL: ["●", "its plan waits for approval", "denied"],
  COMPLETED: ["✓", "done", "completed"],
  FAILED: ["✕", "failed", "failed"],
  BLOCKED: ["◼", "blocked", "failed"],
};

export const columnTitles: Readonly<Record<TaskColumnName, string>> = {
  person: "For you",
  working: "Under way",
  ready: "Ready",
  waiting: "Waiting",
  done: "Done",
  archive: "Archive",
};

/** What stands in a column in which there is nothing. */
export const emptyColumns: Readonly<Record<TaskColumnName, string>> = {
  person: "Nothing waits for you.",
  working: "Nobody works on a task.",
  ready: "No task can be taken.",
  waiting: "No task waits for another.",
  done: "Nothing is done yet.",
  archive: "Nothing is archived.",
};

/** The options of `haft tasks` that list the same. */
export const columnOptions: Readonly<Record<TaskColumnName, string>> = {
  person:
    "--state waiting-input --state awaiting-approval --state awaiting-plan-approval --state blocked --state failed",
  working: "--state assigned --state in-progress --state verifying",
  ready: "--state ready",
  waiting: "--state defined --state paused",
  done: "--state completed",
  archive: "--archived",
};

type Wait = TaskView["waits"][number];

const personWaits = {
  answer: "your answer",
  approve: "your approval",
  "approve-plan": "your approval of its plan",
  verify: "you to verify it",
  decide: "your decision",
} as const satisfies Record<(Wait & { readonly for: "person" })["to"], string>;

/** A time of today without its date. */
function nameTime(time: string): string {
  const today = new Date().toLocaleDateString("sv-SE");
  return time.slice(time.startsWith(today) ? 11 : 0, 16);
}

/** What a task waits for: `your approval`, `brave-fox`. */
export function nameWait(wait: Wait): string {
  if (wait.for === "person") return personWaits[wait.to];
  if (wait.for === "question") return "your answer to a question";
  if (wait.for === "worker") return "somebody who takes it";
  if (wait.for === "time") return nameTime(new Date(wait.at).toLocaleString("sv-SE"));
  return wait.id;
}
