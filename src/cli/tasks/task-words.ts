import type { TaskView, TaskWait } from "../../app/views/index.ts";
import type { TaskState } from "../../modules/tasks/index.ts";
import { formatSpan } from "../text/span.ts";
import { formatUsd } from "../usage/format-usd.ts";

/** States in words for people. */
export const stateWords: Readonly<Record<TaskState, string>> = {
  DEFINED: "waits for others",
  READY: "ready",
  ASSIGNED: "taken",
  IN_PROGRESS: "under way",
  WAITING_INPUT: "waits for an answer",
  PAUSED: "paused",
  VERIFYING: "being verified",
  AWAITING_APPROVAL: "waits for approval",
  AWAITING_PLAN_APPROVAL: "waits for approval of its plan",
  COMPLETED: "done",
  FAILED: "failed",
  BLOCKED: "blocked",
};

/** The state of a task in a few words: `waits for brave-fox`, `ready`. */
export function describeState(view: TaskView): string {
  if (view.isSkipped) return "skipped";
  const others = view.waits.filter((wait) => wait.for === "task");
  if (others.length === 0) return stateWords[view.state];
  return joinWords(others.map(({ id }) => `waits for ${id}`));
}

/** The state of a task and since when: `waits for brave-fox since 3 h`. */
export function describeStanding(view: TaskView, now: number): string {
  const { state, stateAt, agentId, archivedAt } = view;
  const span = formatSpan(now - stateAt);
  if (archivedAt !== undefined) return `${describeState(view)}, archived ${formatSpan(now - archivedAt)} ago`;
  const waits = view.waits.map((wait) => describeWait(view, wait, now));
  const why = view.why === undefined ? "" : ` (${view.why})`;
  switch (state) {
    case "COMPLETED":
      return `${view.isSkipped ? "skipped" : "done"} ${span} ago`;
    case "FAILED":
      return `failed ${span} ago${why}`;
    case "BLOCKED":
      return `blocked since ${span}${why}`;
    case "PAUSED":
      return `paused since ${span}${why}${joinWaits(waits, ", ")}`;
    case "ASSIGNED":
    case "IN_PROGRESS": {
      if (view.isLeft) return `left by ${agentId ?? "its process"}, was ${stateWords[state]} for ${span}`;
      const doing = state === "ASSIGNED" ? "taken" : "under way";
      return `${doing}${agentId === undefined ? "" : ` by ${agentId}`} since ${span}${joinWaits(waits, ", ")}`;
    }
    case "DEFINED":
    case "READY":
    case "WAITING_INPUT":
    case "VERIFYING":
    case "AWAITING_APPROVAL":
    case "AWAITING_PLAN_APPROVAL": {
      const [first, ...rest] = waits;
      return first === undefined
        ? `${stateWords[state]} since ${span}`
        : `${joinWords([first, ...rest])} since ${span}`;
    }
    default:
      return state satisfies never;
  }
}

function joinWaits(waits: readonly string[], before: string): string {
  return waits.length === 0 ? "" : `${before}${joinWords(waits)}`;
}

/** `waits for a, b and c`, where all begin alike. */
function joinWords(waits: readonly string[]): string {
  const lead = "waits for ";
  if (!waits.every((wait) => wait.startsWith(lead))) return waits.join(" and ");
  const names = waits.map((wait) => wait.slice(lead.length));
  const last = names.pop() ?? "";
  return `${lead}${names.length === 0 ? "" : `${names.join(", ")} and `}${last}`;
}

function describeWait({ state }: TaskView, wait: TaskWait, now: number): string {
  switch (wait.for) {
    case "task":
    case "run":
      return `waits for ${wait.id}`;
    case "question":
      return `waits for your answer to ${wait.id}`;
    case "time":
      return wait.at > now ? `goes on in ${formatSpan(wait.at - now)}` : "goes on now";
    case "worker":
      return state === "READY" ? "ready" : "waits for a haft that works in the background";
    case "person":
      return personWaits[wait.to];
    default:
      return wait satisfies never;
  }
}

const personWaits: Readonly<Record<(TaskWait & { readonly for: "person" })["to"], string>> = {
  answer: "waits for your answer",
  approve: "waits for your approval",
  "approve-plan": "waits for your approval of its plan",
  verify: "waits for you to verify it",
  decide: "waits for your decision",
};

/** Commands with which a person gets a task going again; empty if none is needed. */
export function listRemedies(view: TaskView): readonly string[] {
  const { id, runId, archivedAt } = view;
  if (archivedAt !== undefined) return [`\`haft tasks restore ${id}\` brings it back`];
  const goesOn = `\`haft tasks resume ${id}\` goes on with it`;
  const ofWaits = view.waits.flatMap((wait): readonly string[] => {
    switch (wait.for) {
      case "question":
        return [
          `\`haft approvals show ${wait.id}\` shows the question, \`haft approvals approve ${wait.id}\` says yes`,
        ];
      case "task":
        return [`\`haft tasks show ${wait.id}\` says how that one stands`];
      case "worker":
        if (runId !== undefined) return [`\`haft serve\` goes on with it in the background; ${goesOn} here`];
        return ["an agent takes it by `claim_task`, over MCP: `haft mcp --profile queue`"];
      case "person":
        return personRemedies[wait.to](view);
      case "time":
      case "run":
        return [];
      default:
        return wait satisfies never;
    }
  });
  return [...new Set(ofWaits)];
}

const personRemedies: Readonly<
  Record<(TaskWait & { readonly for: "person" })["to"], (view: TaskView) => readonly string[]>
> = {
  answer: ({ id }) => [`\`haft tasks resume ${id} "…"\` answers it`],
  approve: ({ id }) => [
    `\`haft tasks approve ${id}\` says that it is done, \`haft tasks retry ${id} "…"\` what is missing`,
  ],
  "approve-plan": ({ id }) => [
    `\`haft tasks approve ${id}\` approves its plan, \`haft tasks retry ${id} "…"\` says what is to be changed`,
  ],
  verify: ({ id }) => [
    `\`haft tasks approve ${id}\` says that it is done, \`haft tasks retry ${id} "…"\` what is missing`,
  ],
  decide: ({ id, state, runId }) =>
    state === "PAUSED" && runId !== undefined
      ? [`\`haft tasks resume ${id}\` goes on with it`]
      : [
          `\`haft tasks retry ${id}\` tries it again, with what you say after the id`,
          ...(state === "PAUSED" ? [] : [`\`haft tasks skip ${id}\` lets others go on without it`]),
        ],
};

/** What a task cost: `$0.02`, `$0.02 + unpriced`, `1,200 tokens, unpriced`; empty for one that no run worked on. */
export function describeCost({ cost }: Pick<TaskView, "cost">): string {
  if (cost === undefined) return "";
  const { costMicros, tokens, unpricedModels } = cost;
  if (unpricedModels.length === 0) return formatUsd(costMicros);
  if (costMicros === 0) return `${tokens.toLocaleString("en")} tokens, unpriced`;
  return `${formatUsd(costMicros)} + unpriced`;
}
