import type {
  ConsoleApi,
  TaskAct,
  TaskState,
  TasksApi,
  TaskView,
} from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

type Answers = {
  readonly [Key in keyof TasksApi]: (request: {
    readonly segments: readonly string[];
    readonly query: URLSearchParams;
    readonly body: unknown;
  }) => ConsoleApi[Key]["answer"];
};

const columns: Readonly<Record<string, readonly TaskState[]>> = {
  person: ["WAITING_INPUT", "AWAITING_APPROVAL", "AWAITING_PLAN_APPROVAL", "BLOCKED", "FAILED"],
  working: ["ASSIGNED", "IN_PROGRESS", "VERIFYING"],
  ready: ["READY"],
  waiting: ["DEFINED", "PAUSED"],
  done: ["COMPLETED"],
};

const after: Readonly<Record<TaskAct, TaskState>> = {
  stop: "BLOCKED",
  retry: "READY",
  reopen: "READY",
  approve: "COMPLETED",
  skip: "COMPLETED",
  archive: "COMPLETED",
  restore: "READY",
};

function createTask(id: string, state: TaskState, now: number, change: Partial<TaskView> = {}): TaskView {
  const title = change.title ?? `Task ${id}`;
  return {
    id,
    scope: "local",
    projectId: "shop",
    parentId: undefined,
    title,
    description: title,
    type: undefined,
    priority: 100,
    state,
    verification: "auto_test",
    requiresApproval: false,
    retries: 0,
    maxRetries: 3,
    profileId: undefined,
    workspaceId: undefined,
    branch: undefined,
    prUrl: undefined,
    isPlanSubtask: false,
    agentId: undefined,
    leaseUntil: undefined,
    runId: undefined,
    sessionId: undefined,
    resumeAfter: undefined,
    trust: "trusted",
    version: 3,
    createdAt: now - 90_000_000,
    changedAt: now - 60_000,
    stateAt: now - 3_700_000,
    archivedAt: undefined,
    dependsOn: [],
    blocks: [],
    waits: [],
    isLeft: false,
    why: undefined,
    isSkipped: false,
    cost: undefined,
    ...change,
  };
}

const cost = { costMicros: 420_000, tokens: 81_200, steps: 14, ms: 90_000, unpricedModels: [] };

function createTasks(now: number): TaskView[] {
  return [
    createTask("brave-fox", "IN_PROGRESS", now, {
      title: "Take the prices out of the pages and into the catalogue",
      description:
        "Take the prices out of the pages.\n\nKeep the names as they are; the shop's tests say which.",
      agentId: "writer",
      runId: "r_1",
      sessionId: "s_1",
      type: "refactor",
      priority: 10,
      cost,
      blocks: ["calm-owl", "keen-elk"],
    }),
    createTask("calm-owl", "DEFINED", now, {
      title: "Write the tests of the catalogue",
      dependsOn: ["brave-fox"],
      waits: [{ for: "task", id: "brave-fox", state: "IN_PROGRESS" }],
      blocks: ["wise-bee"],
    }),
    createTask("keen-elk", "DEFINED", now, {
      title: `Show the prices ${hostile}`,
      trust: "untrusted",
      dependsOn: ["brave-fox", "swift-jay"],
      waits: [
        { for: "task", id: "brave-fox", state: "IN_PROGRESS" },
        { for: "task", id: "swift-jay", state: "BLOCKED" },
      ],
      blocks: ["wise-bee"],
    }),
    createTask("wise-bee", "DEFINED", now, {
      title: "Publish the shop",
      projectId: "site",
      dependsOn: ["calm-owl", "keen-elk"],
      waits: [{ for: "task", id: "calm-owl", state: "DEFINED" }],
    }),
    createTask("swift-jay", "BLOCKED", now, {
      title: "Ask the bank for test cards",
      retries: 3,
      why: "its retries are used",
      waits: [{ for: "person", to: "decide" }],
      blocks: ["keen-elk"],
      agentId: "mcp:claude",
    }),
    createTask("proud-yak", "AWAITING_APPROVAL", now, {
      title: "Delete last year's orders",
      requiresApproval: true,
      waits: [{ for: "person", to: "approve" }],
      cost: { ...cost, unpricedModels: ["tiny"] },
    }),
    createTask("shy-newt", "PAUSED", now, {
      title: "Read the reviews again",
      resumeAfter: now + 600_000,
      waits: [{ for: "time", at: now + 600_000 }],
      parentId: "brave-fox",
    }),
    createTask("bold-crab", "ASSIGNED", now, {
      title: "Look for dead links",
      isLeft: true,
      waits: [{ for: "worker" }],
      agentId: "mcp:gone",
      parentId: "brave-fox",
    }),
    ...Array.from({ length: 6 }, (_, at) =>
      createTask(`calm-ant-${at + 2}`, "READY", now, {
        title: `Translate page ${at + 1}`,
        waits: [{ for: "worker" }],
      }),
    ),
    ...Array.from({ length: 40 }, (_, at) =>
      createTask(`old-cat-${at + 2}`, "COMPLETED", now, {
        title: `Tidy folder ${at + 1}`,
        isSkipped: at === 1,
        stateAt: now - at * 4_000_000,
      }),
    ),
    createTask("past-gnu", "FAILED", now, { title: "Sell umbrellas", archivedAt: now - 90_000_000 }),
  ];
}

/** Tasks as the tests can change them, beside the page. */
export interface TasksFixture {
  readonly handlers: Answers;
  /** Changes a task, as somebody else would. */
  readonly change: (id: string, change: Partial<TaskView>) => void;
  /** Whether a request acts on another version than the one there is. */
  readonly isOutdated: (path: string, body: unknown) => boolean;
}

/** The page of tasks, over constants that can be changed. */
export function createTasksFixture(isEmpty: boolean, now: number): TasksFixture {
  const tasks = isEmpty ? [] : createTasks(now);
  const notes = [
    {
      seq: 1,
      kind: "plan",
      label: "first",
      text: `Begin with the shirts ${hostile}`,
      trust: "untrusted",
      at: now,
    },
  ].map((note) => ({ ...note, kind: "plan" as const, trust: "untrusted" as const }));
  const get = (id = "") => tasks.findIndex((task) => task.id === id);
  const change = (id: string | undefined, changes: Partial<TaskView>) => {
    const task = tasks[get(id)];
    if (task !== undefined) tasks[get(id)] = { ...task, version: task.version + 1, stateAt: now, ...changes };
  };
  const line = ({ id, title, state, stateAt, trust }: TaskView, depth = 0) => {
    return { id, title, state, stateAt, trust, depth };
  };
  const lines = (ids: readonly string[]) =>
    tasks.filter(({ id }) => ids.includes(id)).map((one) => line(one));
  const handlers: Answers = {
    "GET /tasks": ({ query }) => {
      const only = query.get("column");
      const project = query.get("project");
      const limit = Number(query.get("limit"));
      const start = Number(query.get("after") ?? 0);
      const wanted = only === null ? ["person", "working", "ready", "waiting", "done"] : [only];
      return {
        columns: wanted.map((name) => {
          const all = tasks.filter(
            ({ state, archivedAt, projectId }) =>
              (name === "archive") === (archivedAt !== undefined) &&
              (name === "archive" || columns[name]?.includes(state)) &&
              (project ?? projectId) === projectId,
          );
          return {
            kind: name as "ready",
            total: all.length,
            tasks: all.slice(start, start + limit),
            ...(start + limit < all.length && { next: String(start + limit) }),
          };
        }),
        projects: isEmpty ? [] : ["shop", "site"],
      };
    },
    "GET /tasks/graph": () => {
      const tied = tasks.filter(({ dependsOn, blocks }) => dependsOn.length + blocks.length > 0);
      return {
        nodes: tied.map((one) => line(one)),
        edges: tied.flatMap(({ id, dependsOn }) => dependsOn.map((before) => [before, id] as const)),
        cut: false,
      };
    },
    "GET /tasks/:id": ({ segments: [id] }) => {
      const task = tasks[get(id)];
      if (task === undefined) return undefined as never;
      return {
        task,
        notes: [...notes],
        results: [
          {
            seq: 1,
            taskId: task.id,
            agentId: "writer",
            runId: "r_1",
            attempt: 1,
            outcome: "failed",
            summary: "Half of the pages have no prices any more.",
            filesChanged: ["src/pages/shirts.ts", `src/${hostile}.ts`],
            error: "\u001b[31mthe tests failed\u001b[0m: 2 of 40",
            tokens: 40_100,
            trust: "trusted",
            at: now - 4_000_000,
          },
        ],
        history: Array.from({ length: 14 }, (_, at) => ({
          seq: 14 - at,
          at: now - at * 600_000,
          taskId: task.id,
          projectId: task.projectId,
          event: at === 13 ? ("CREATED" as const) : ("AGENT_STARTED" as const),
          from: at === 13 ? undefined : ("ASSIGNED" as const),
          to: at === 13 ? undefined : ("IN_PROGRESS" as const),
          by: "writer",
          why: at === 0 ? `it goes on ${hostile}` : undefined,
        })),
        partOf: task.parentId === undefined ? [] : lines([task.parentId]),
        subtasks: tasks.filter(({ parentId }) => parentId === task.id).map((one) => line(one, 1)),
        dependsOn: lines(task.dependsOn),
        blocks: lines(task.blocks),
        holdsUp: task.blocks.length + 1,
        sessionId: task.sessionId,
        command: `haft tasks show ${task.id}`,
      };
    },
    "POST /tasks/:id/act": ({ segments: [id], body }) => {
      const { act, feedback } = body as { readonly act: TaskAct; readonly feedback?: string };
      const task = tasks[get(id)];
      if (task === undefined) return undefined as never;
      if (feedback !== undefined)
        notes.push({
          seq: notes.length + 1,
          kind: "plan",
          label: "",
          text: feedback,
          trust: "untrusted",
          at: now,
        });
      change(id, {
        state: act === "archive" ? task.state : after[act],
        waits: [],
        why: undefined,
        archivedAt: act === "archive" ? now : undefined,
      });
      const isOver = after[act] === "COMPLETED" && act !== "archive";
      return { state: tasks[get(id)]?.state ?? "READY", freed: isOver ? [...task.blocks] : [] };
    },
  };
  return {
    handlers,
    change,
    isOutdated: (path, body) => {
      const [, id] = /^\/tasks\/([^/]+)\/act$/.exec(path) ?? [];
      return id !== undefined && (body as { readonly version: number }).version !== tasks[get(id)]?.version;
    },
  };
}
