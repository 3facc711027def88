import type { ComponentChildren, VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import type { TaskDetail, TaskLine, TaskView } from "../../../../src/server/console/api/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Since, Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { Acts } from "./acts.tsx";
import { TaskLog } from "./log.tsx";
import { describeCost, leftAlone, Standing, TaskMark, toTask } from "./task-card.tsx";
import { History, Notes, Results } from "./told.tsx";

/** One task whole: how it stands and why, what was done, and what can be done about it. */
export function TaskPage({ id }: { readonly id: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /tasks/:id", { segments: { id } });
  useLiveReload(["task", "run", "question"], reload, 300);
  const task = answer?.task;
  return (
    <Page
      title={task?.title ?? id}
      command={answer?.command ?? `haft tasks show ${shellWord(id)}`}
      class="tasks-page"
      head={
        <span class="task-facts">
          {task !== undefined && <Head task={task} />}
          <a href={toHref("tasks")}>All tasks</a>
        </span>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? fault === undefined && <Loading /> : <Detail detail={answer} reload={reload} />}
    </Page>
  );
}

function Detail({ detail, reload }: { readonly detail: TaskDetail; readonly reload: () => void }): VNode {
  const { task, notes, results, history, partOf, subtasks, dependsOn, blocks, holdsUp, sessionId } = detail;
  const { id, title, description, runId, projectId, trust } = task;
  return (
    <>
      {partOf.length > 0 && (
        <nav class="task-facts" aria-label="Part of">
          <span class="dim">Part of</span>
          {partOf.map((one) => (
            <a key={one.id} href={toTask(one.id)}>
              <Text value={one.title} oneLine />
            </a>
          ))}
        </nav>
      )}
      <div class="task-columns">
        <Acts task={task} reload={reload} />
        <div class="task-main">
          {(description !== title || trust === "untrusted") && (
            <Section
              title="What is to be done"
              aside={trust === "untrusted" && <span class="warning">from outside</span>}
            >
              <LongText value={description} label="What is to be done" />
            </Section>
          )}
          {sessionId !== undefined && runId !== undefined && <TaskLog sessionId={sessionId} runId={runId} />}
          {notes.length > 0 && <Notes notes={notes} />}
          {results.length > 0 && <Results results={results} />}
          {subtasks.length > 0 && <Lines title="Subtasks" lines={subtasks} isTree />}
          <History history={history} />
        </div>
        <aside class="task-side" aria-label="About the task">
          <Section title="Facts">
            <Facts facts={listFacts(task)} />
          </Section>
          {dependsOn.length > 0 && <Lines title="It waits for" lines={dependsOn} />}
          {blocks.length > 0 && (
            <Lines title="What waits for it" lines={blocks}>
              {holdsUp > blocks.length && (
                <p class="dim">{formatCounted(holdsUp, "task")} in all, with those that wait for these.</p>
              )}
            </Lines>
          )}
          {dependsOn.length + blocks.length > 0 && (
            <a href={toHref("tasks/graph", { task: id, project: projectId })}>All of this as a graph</a>
          )}
        </aside>
      </div>
    </>
  );
}

/** The state of a task, whom it waits for, since when, and why. */
function Head({ task }: { readonly task: TaskView }): VNode {
  const { state, stateAt, why, isLeft, archivedAt } = task;
  return (
    <>
      <Standing task={task} link={linkWait} />
      {archivedAt !== undefined && <span class="warning">archived</span>}
      <span class="dim">
        {state === "COMPLETED" ? "" : "since "}
        <Since at={stateAt} />
        {state === "COMPLETED" && " ago"}
      </span>
      {isLeft && <span class="warning">{leftAlone}</span>}
      {why !== undefined && (
        <span class="task-why">
          <Text value={why} oneLine />
        </span>
      )}
    </>
  );
}

function linkWait(wait: TaskView["waits"][number], name: VNode): VNode {
  if (wait.for === "task") return <a href={toTask(wait.id)}>{name}</a>;
  if (wait.for === "run") return <a href={toHref(`trace/${encodeURIComponent(wait.id)}`)}>{name}</a>;
  if (wait.for === "question") return <a href={toHref(`questions/${encodeURIComponent(wait.id)}`)}>{name}</a>;
  return name;
}

/** Tasks, a line each. */
function Lines({
  title,
  lines,
  isTree = false,
  children,
}: {
  readonly title: string;
  readonly lines: readonly TaskLine[];
  readonly isTree?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <Section title={title}>
      <ul class="task-lines" aria-label={title}>
        {lines.map((line) => (
          <li
            key={line.id}
            style={isTree ? { marginInlineStart: `${Math.min(line.depth - 1, 8) * 1.25}rem` } : {}}
          >
            <a href={toTask(line.id)}>
              <Text value={line.title} oneLine />
            </a>
            <span class="task-facts dim">
              {isTree && line.depth > 1 && <span class="unseen">level {line.depth}</span>}
              <TaskMark state={line.state} />
              <Since at={line.stateAt} />
            </span>
          </li>
        ))}
      </ul>
      {children}
    </Section>
  );
}

function listFacts(task: TaskView) {
  const { id, projectId, type, priority, verification, requiresApproval, retries, maxRetries, cost } = task;
  return [
    ["Id", <Text value={id} oneLine />],
    [
      "Project",
      <a href={toHref("tasks", { project: projectId })}>
        <Text value={projectId} oneLine />
      </a>,
    ],
    ["Kind", type !== undefined && <Text value={type} oneLine />],
    ["Priority", formatCount(priority)],
    ["Worker", task.agentId !== undefined && <Text value={task.agentId} oneLine />],
    ["Lease until", task.leaseUntil !== undefined && <Time at={task.leaseUntil} />],
    ["Verified by", <Text value={verification.replaceAll("_", " ")} oneLine />],
    ["Approval", requiresApproval && "yours, before it counts as done"],
    ["Retries", `${retries} of ${maxRetries}`],
    ["Cost", cost !== undefined && `${describeCost(cost)}, ${formatCounted(cost.steps, "step")}`],
    ["Branch", task.branch !== undefined && <Text value={task.branch} oneLine />],
    ["Change", task.prUrl !== undefined && <Text value={task.prUrl} oneLine />],
    ["Goes on", task.resumeAfter !== undefined && <Time at={task.resumeAfter} seconds={false} />],
    ["Made", <Time at={task.createdAt} seconds={false} />],
    ["Changed", <Time at={task.changedAt} seconds={false} />],
    ["Archived", task.archivedAt !== undefined && <Time at={task.archivedAt} seconds={false} />],
  ] as const;
}
