import { Fragment, type VNode } from "preact";
import type { TaskState, TaskView } from "../../../../src/server/console/api/index.ts";
import { Since } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { formatCount, formatMicros } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { nameWait, states } from "./words.ts";

/** The address of a task's page. */
export function toTask(id: string): string {
  return toHref(`tasks/${encodeURIComponent(id)}`);
}

/** A state as a sign and words. */
export function TaskMark({
  state,
  skipped = false,
}: {
  readonly state: TaskState;
  readonly skipped?: boolean;
}): VNode {
  const [sign, word, colour] = states[state];
  return (
    <span class="state" data-state={colour}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {skipped ? "skipped" : word}
    </span>
  );
}

/** What a page says of a task whose worker does not renew its lease. */
export const leftAlone = "its worker is gone: another may take it";

type Wait = TaskView["waits"][number];

/** States whose words say no more than that the task waits. */
const merelyWaiting: readonly TaskState[] = [
  "DEFINED",
  "WAITING_INPUT",
  "AWAITING_APPROVAL",
  "AWAITING_PLAN_APPROVAL",
];
/** States of which everybody knows what they wait for. */
const plain: readonly TaskState[] = ["READY", "BLOCKED", "FAILED"];
const mostWaits = 5;

/** The state of a task with whom it waits for: `waits for brave-fox`, `paused until 12:00`. */
export function Standing({
  task: { state, isSkipped, isLeft, waits },
  link = (_, name) => name,
}: {
  readonly task: TaskView;
  /** Leads to what is waited for. @default nowhere */
  readonly link?: (wait: Wait, name: VNode) => VNode;
}): VNode {
  const [sign, word, colour] = states[state];
  const shown = isLeft || plain.includes(state) ? [] : waits.filter((wait) => wait.for !== "worker");
  const until = shown.every((wait) => wait.for === "time") ? " until " : ", waits for ";
  return (
    <span class="state task-state" data-state={colour}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span>
        {isSkipped
          ? "skipped"
          : shown.length === 0
            ? word
            : merelyWaiting.includes(state)
              ? "waits for "
              : word + until}
        {shown.slice(0, mostWaits).map((wait, at) => (
          <Fragment key={at}>
            {at > 0 && ", "}
            {link(wait, <Text value={nameWait(wait)} oneLine />)}
          </Fragment>
        ))}
        {shown.length > mostWaits && ` and ${shown.length - mostWaits} more`}
      </span>
    </span>
  );
}

/** A task in a column of the board. */
export function TaskCard({
  task,
  showProject,
}: {
  readonly task: TaskView;
  readonly showProject: boolean;
}): VNode {
  const { id, title, stateAt, projectId, agentId, priority, trust, why, cost } = task;
  return (
    <a class="task-card" href={toTask(id)} data-urgent={priority < 100}>
      <span class="task-title">
        <Text value={title} oneLine />
      </span>
      <span class="task-standing">
        <Standing task={task} />
        <span class="dim">
          <Since at={stateAt} />
        </span>
      </span>
      {task.isLeft && <span class="warning">{leftAlone}</span>}
      {why !== undefined && (
        <span class="task-why">
          <Text value={why} oneLine />
        </span>
      )}
      <span class="task-facts dim">
        <code>
          <Text value={id} oneLine />
        </code>
        {agentId !== undefined && <Text value={agentId} oneLine />}
        {showProject && <Text value={projectId} oneLine />}
        {priority !== 100 && <span>priority {formatCount(priority)}</span>}
        {cost !== undefined && <span>{describeCost(cost)}</span>}
        {trust === "untrusted" && <span class="warning">from outside</span>}
      </span>
    </a>
  );
}

/** `$0.42`, `$0.42 and more`: a model without a known price is said, never counted as nothing. */
export function describeCost({ costMicros, tokens, unpricedModels }: NonNullable<TaskView["cost"]>): string {
  if (unpricedModels.length === 0) return formatMicros(costMicros);
  return costMicros === 0
    ? `${formatCount(tokens)} tokens of unknown price`
    : `${formatMicros(costMicros)} and what has no known price`;
}
