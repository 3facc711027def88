import { cutHead } from "../../../base/index.ts";
import { type Labelled, trustMark } from "../../../kernel/index.ts";
import type { Task, TaskEdges, TaskNote, TaskResult, Tasks } from "../store/tasks.ts";
import { showLink, showRow, showTime, type TaskLink } from "./show-task.ts";

/** A task with everything that its worker has to know. */
export interface WholeTask {
  readonly task: Task;
  readonly edges: TaskEdges;
  readonly children: readonly Task[];
  readonly notes: readonly TaskNote[];
  readonly results: readonly TaskResult[];
  /** The last results of the tasks that it depends on. */
  readonly upstream: readonly { readonly task: Task; readonly result: TaskResult }[];
}

/** Maximum number of subtasks and of upstream results that are shown of one task. */
const mostShown = 50;
/** Maximum length of a summary or an error that is shown with a task. get_task_result has the whole text. */
const mostSummaryChars = 4_000;

/** Reads a task with its notes, edges, subtasks and results. */
export async function readWholeTask(tasks: Tasks, scope: string, id: string): Promise<WholeTask> {
  const task = await tasks.require(scope, id);
  const edges = await tasks.edges(scope, id);
  const { tasks: children } = await tasks.list({ scope, parentId: id, limit: mostShown });
  const notes = await tasks.notes(scope, id);
  const results = await tasks.results(scope, id);
  const upstream = [];
  for (const one of edges.dependsOn.slice(0, mostShown)) {
    const result = (await tasks.results(scope, one.id)).at(-1);
    if (result !== undefined) upstream.push({ task: one, result });
  }
  return { task, edges, children, notes, results, upstream };
}

/** Every row whose text {@link showWholeTask} shows. */
export function* listLabels(whole: WholeTask): Iterable<Labelled> {
  yield whole.task;
  yield* whole.edges.dependsOn;
  yield* whole.edges.blocks;
  yield* whole.children;
  yield* whole.notes;
  yield* whole.results;
  for (const { result } of whole.upstream) yield result;
}

export function showWholeTask(whole: WholeTask): object {
  const { task, edges, children, notes, results, upstream } = whole;
  const { id, title, status, ...row } = showRow(task);
  const last = results.at(-1);
  return {
    id,
    project_id: task.projectId,
    title,
    description: task.description,
    status,
    ...row,
    retry_count: task.retries,
    max_retries: task.maxRetries,
    verification_type: task.verification,
    is_plan_subtask: task.isPlanSubtask,
    profile_id: task.profileId ?? null,
    preferred_workspace_id: task.workspaceId ?? null,
    ...(task.branch !== undefined && { branch: task.branch }),
    ...(task.archivedAt !== undefined && { archived_at: showTime(task.archivedAt) }),
    ...listLinks("depends_on", edges.dependsOn),
    ...listLinks("blocks", edges.blocks),
    ...listLinks("subtasks", children),
    ...(notes.length > 0 && { notes: notes.map(showNote) }),
    ...(upstream.length > 0 && { upstream_results: upstream.map(showUpstream) }),
    ...(last !== undefined && { last_result: shortenResult(last) }),
  };
}

function listLinks(
  key: "depends_on" | "blocks" | "subtasks",
  tasks: readonly Task[],
): Readonly<Record<string, readonly TaskLink[]>> {
  return tasks.length === 0 ? {} : { [key]: tasks.map(showLink) };
}

function showNote(note: TaskNote): object {
  const { kind, label, text, at } = note;
  return { kind, ...(label !== "" && { label }), text, at: showTime(at), ...trustMark(note) };
}

function showUpstream({ task, result }: WholeTask["upstream"][number]): object {
  return { id: task.id, outcome: result.outcome, summary: shorten(result.summary), ...trustMark(result) };
}

function shortenResult(result: TaskResult): object {
  const { summary, error } = result;
  return showResult({
    ...result,
    summary: shorten(summary),
    error: error === undefined ? error : shorten(error),
  });
}

/** An attempt at a task, as results of tools have it. */
export function showResult(result: TaskResult): object {
  const { attempt, outcome, summary, filesChanged, error, tokens, agentId, at } = result;
  return {
    attempt,
    outcome,
    summary,
    files_changed: filesChanged,
    ...(error !== undefined && { error }),
    tokens,
    agent: agentId ?? null,
    at: showTime(at),
    ...trustMark(result),
  };
}

function shorten(text: string): string {
  const head = cutHead(text, mostSummaryChars);
  return head.length < text.length ? `${head} […]` : head;
}
