import { CodedError } from "../../../base/index.ts";
import { ToolPermissionError } from "../../../kernel/index.ts";
import type { Task, TaskQuery, TaskState, Tasks } from "../../../modules/tasks/index.ts";
import type { Endpoint, TaskColumn, TaskColumnName, TaskLine, TasksApi } from "../api/index.ts";
import { type ConsoleContext, type ConsoleRequest, consoleOwner, type Handlers } from "../route.ts";
import {
  badInput,
  changedMeanwhile,
  notFound,
  pinSchema,
  readInput,
  readSegment,
  readWhole,
  readWord,
  requireOwner,
  toCallContext,
} from "./input.ts";
import { acts, type ChosenCall, chooseCalls } from "./task-acts.ts";
import { readGraphAround, readOpenGraph, toLine } from "./task-graph.ts";

const columns: Readonly<Record<TaskColumnName, readonly TaskState[]>> = {
  person: ["WAITING_INPUT", "AWAITING_APPROVAL", "AWAITING_PLAN_APPROVAL", "BLOCKED", "FAILED"],
  working: ["ASSIGNED", "IN_PROGRESS", "VERIFYING"],
  ready: ["READY"],
  waiting: ["DEFINED", "PAUSED"],
  done: ["COMPLETED"],
  archive: [],
};
const columnNames = Object.keys(columns) as readonly TaskColumnName[];

const actSchema = {
  type: "object",
  properties: {
    act: { enum: acts },
    version: { type: "integer", minimum: 0 },
    feedback: { type: "string", minLength: 1, maxLength: 50_000, pattern: "\\S" },
    pin: pinSchema,
  },
  required: ["act", "version"],
  additionalProperties: false,
} as const;

/** Events that are looked through for the tasks that were done last. */
const mostEvents = 1_000;
const mostSubtasks = 500;
const mostLevels = 20;

/** The page of tasks: a board, one task, and what depends on what. */
export const taskHandlers: Handlers<TasksApi> = {
  "GET /tasks": async (context, { query, signal }) => {
    const { tasks } = await context.app.store();
    const scope = toScope(context);
    const project = query.get("project");
    const only = readWord(query, "column", columnNames);
    const after = readCursor(query);
    const limit = readWhole(query, "limit", { least: 1, most: 200, fallback: 30 });
    const wanted = only === undefined ? columnNames.filter((name) => name !== "archive") : [only];
    const found: Omit<TaskColumn, "tasks">[] = [];
    const listed: Task[][] = [];
    for (const name of wanted) {
      const asked: TaskQuery = {
        scope,
        limit,
        ...(project !== undefined && { projectId: project }),
        ...(name === "archive" ? { archived: true } : { states: columns[name] }),
        ...(after !== undefined && { cursor: after }),
      };
      const page = await tasks.list(asked);
      // Of all that was ever done, the board shows what was done last.
      const isLast = name === "done" && only === undefined && page.next !== undefined;
      listed.push([...(isLast ? await listLastDone(tasks, asked) : page.tasks)]);
      found.push({ kind: name, total: page.total, ...(page.next !== undefined && { next: page.next }) });
    }
    const views = await context.records.viewTasks(scope, listed.flat(), signal);
    const byId = new Map(views.map((view) => [view.id, view]));
    const counts = await tasks.countByProject({ scope, ...(only === "archive" && { archived: true }) });
    return {
      columns: found.map((column, at) => ({
        ...column,
        tasks: (listed[at] ?? []).flatMap(({ id }) => byId.get(id) ?? []),
      })),
      projects: [...counts.keys()].toSorted(),
    };
  },

  "GET /tasks/graph": async (context, { query }) => {
    const { tasks } = await context.app.store();
    const scope = toScope(context);
    const id = query.get("task");
    if (id !== undefined) return readGraphAround(tasks, await find(context, id));
    const project = query.get("project");
    return readOpenGraph(tasks, { scope, ...(project !== undefined && { projectId: project }) });
  },

  "GET /tasks/:id": async (context, request) => {
    const { tasks, sessions } = await context.app.store();
    const task = await find(context, readSegment(request, "id"));
    const { scope, id } = task;
    const [[view], notes, results, history, edges, tree, [stuck], session] = await Promise.all([
      context.records.viewTasks(scope, [task], request.signal),
      tasks.notes(scope, id),
      tasks.results(scope, id),
      tasks.happenings({ scope, taskId: id, limit: 100 }),
      tasks.edges(scope, id),
      tasks.tree(scope, id, mostLevels),
      tasks.findStuck({ scope, id }),
      task.sessionId === undefined ? undefined : sessions.get(scope, task.sessionId),
    ]);
    if (view === undefined) throw unknown(id);
    const subtasks: TaskLine[] = [];
    const walk = ({ children }: typeof tree): void => {
      for (const child of children) {
        if (subtasks.length === mostSubtasks) return;
        subtasks.push(toLine(child.task, child.depth));
        walk(child);
      }
    };
    walk(tree);
    return {
      task: view,
      notes,
      results: results.toReversed(),
      history,
      partOf: await listAbove(tasks, task),
      subtasks,
      dependsOn: edges.dependsOn.map((one) => toLine(one)),
      blocks: edges.blocks.map((one) => toLine(one)),
      holdsUp: stuck?.count ?? 0,
      sessionId: session?.id,
      command: `haft tasks show ${id}`,
    };
  },

  "POST /tasks/:id/act": async (context, request) => {
    const { act, version, feedback, pin } = await readInput(actSchema, request);
    const before = await find(context, readSegment(request, "id"));
    if (before.version !== version) throw changedMeanwhile("the task");
    const { tasks } = await context.app.store();
    const { scope, id } = before;
    const { blocks } = await tasks.edges(scope, id);
    const calls = await chooseCalls(context.app, before, { act, feedback });
    // The first call can't be taken back, so the later ones are checked before it.
    for (const later of calls.slice(1)) await requireAllowed(context, request, { ...later, pin });
    for (const wanted of calls) await call(context, request, { ...wanted, pin });
    const waited = blocks.filter(({ state }) => state === "DEFINED");
    const now = await Promise.all(waited.map((one) => tasks.get(scope, one.id)));
    return {
      state: (await find(context, id)).state,
      freed: now.flatMap((one) => (one?.state === "READY" ? [one.id] : [])),
    };
  },
};

/** @throws {ConsoleFault} CONSOLE_INPUT */
function readCursor(query: ReadonlyMap<string, string>): string | undefined {
  const after = query.get("after");
  if (after === undefined || /^-?\d{1,15}\.\d{1,15}$/.test(after)) return after;
  throw badInput('"after" is the "next" of the page before');
}

function toScope({ app }: ConsoleContext): string {
  return app.context.scope ?? "local";
}

async function find(context: ConsoleContext, id: string): Promise<Task> {
  const { tasks } = await context.app.store();
  return (await tasks.get(toScope(context), id)) ?? fail(unknown(id));
}

function unknown(id: string): CodedError {
  return notFound("the task", id, "`haft tasks list --all` lists them");
}

function fail(error: Error): never {
  throw error;
}

/** The tasks that were done last, as far as the history of the last changes goes. */
async function listLastDone(tasks: Tasks, { scope, projectId, limit }: TaskQuery): Promise<readonly Task[]> {
  const events = await tasks.happenings({
    scope,
    limit: mostEvents,
    ...(projectId !== undefined && { projectId }),
  });
  const ids = new Set(events.flatMap(({ taskId, to }) => (to === "COMPLETED" ? [taskId] : [])));
  const found: Task[] = [];
  for (const id of ids) {
    const task = await tasks.get(scope, id);
    if (task?.state === "COMPLETED" && task.archivedAt === undefined) found.push(task);
    if (found.length === limit) break;
  }
  return found;
}

/** The tasks that one is a part of, the outermost first. */
async function listAbove(tasks: Tasks, task: Task): Promise<readonly TaskLine[]> {
  const above: Task[] = [];
  let parent = task.parentId;
  while (parent !== undefined && above.length < mostLevels) {
    const found = await tasks.get(task.scope, parent);
    if (found !== undefined) above.unshift(found);
    parent = found?.parentId;
  }
  return above.map((one, depth) => toLine(one, depth));
}

interface TaskCall extends ChosenCall {
  readonly pin: string | undefined;
}

/**
 * Requires that a call to be made after others is not refused then, and the PIN if it will ask the person.
 *
 * @throws {CodedError} TOOL_PERMISSION; PIN_REQUIRED, PIN_WRONG, PIN_LOCKED
 */
async function requireAllowed(
  context: ConsoleContext,
  { signal }: Pick<ConsoleRequest<Endpoint>, "signal">,
  { profile, tool, params, pin, asksPerson = false }: TaskCall,
): Promise<void> {
  const executor = await context.app.findExecutor(profile);
  const { verdict, mode, asked } = await executor.foresee(tool, params, {
    ...toCallContext(context),
    signal,
  });
  if (verdict.decision === "deny") {
    const { reason } = verdict.rule ?? {};
    throw refused(tool, `a rule forbids "${tool}"${reason === undefined ? "" : ` (${reason})`}`);
  }
  const asks = asksPerson || verdict.decision === "ask";
  if (asks && mode === "locked") throw refused(tool, `"${tool}" asks a person, and mode locked asks nobody`);
  if (asksPerson || asked !== undefined) await requireOwner(context, pin);
}

function refused(tool: string, why: string): ToolPermissionError {
  return new ToolPermissionError(tool, `Permission denied: ${why}; nothing was done`);
}

/**
 * Calls a tool as the person at the console. Where a rule or the tool asks, their click is the answer, with the PIN that a
 * yes needs where one is set.
 *
 * @throws {CodedError} The failure of the call; PIN_REQUIRED, PIN_WRONG, PIN_LOCKED
 */
async function call(
  context: ConsoleContext,
  { signal }: Pick<ConsoleRequest<Endpoint>, "signal">,
  { profile, tool, params, pin }: TaskCall,
): Promise<void> {
  const executor = await context.app.findExecutor(profile);
  const caller = { ...toCallContext(context), signal };
  const { asked } = await executor.foresee(tool, params, caller);
  if (asked !== undefined) await requireOwner(context, pin);
  const result = await executor.run(tool, params, {
    ...caller,
    approver: {
      identity: consoleOwner,
      ask: () => Promise.resolve({ approved: true, by: consoleOwner }),
    },
  });
  if (!result.success) throw new CodedError(result.code, result.error, { details: result.details });
}
