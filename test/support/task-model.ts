import { expect } from "vitest";
import {
  findNextState,
  TaskError,
  type TaskEvent,
  type TaskState,
  type Tasks,
  taskEvents,
} from "../../src/modules/tasks/index.ts";

const modelScope = "local";

interface Kept {
  id: string;
  seq: number;
  priority: number;
  state: TaskState;
  retries: number;
  maxRetries: number;
  needsPerson: boolean;
  lease: string | undefined;
  /** Whether the lease has run out. */
  isLost: boolean;
  losses: number;
  archived: boolean;
  parentId: string | undefined;
  notes: string[];
  outcomes: string[];
}

/** What tasks must be, kept in the plainest way. It throws the code by which a command has to fail. */
class Model {
  readonly kept = new Map<string, Kept>();
  readonly edges = new Set<string>();
  /** `task EVENT from>to`, in their order. */
  readonly told: string[] = [];
  #seq = 0;

  tell(id: string, event: string, from?: TaskState, to?: TaskState): void {
    this.told.push(`${id} ${event} ${from ?? ""}>${to ?? ""}`);
  }

  get(id: string): Kept {
    const task = this.kept.get(id);
    if (task === undefined) throw new Error("QUEUE_TASK_UNKNOWN");
    return task;
  }

  upstreams(id: string): Kept[] {
    return [...this.edges]
      .filter((edge) => edge.startsWith(`${id}>`))
      .map((edge) => this.get(edge.split(">")[1] as string));
  }

  dependants(id: string): Kept[] {
    return [...this.edges]
      .filter((edge) => edge.endsWith(`>${id}`))
      .map((edge) => this.get(edge.split(">")[0] as string))
      .sort((a, b) => a.priority - b.priority || a.seq - b.seq);
  }

  isHeldUp(id: string): boolean {
    return this.upstreams(id).some(({ state }) => state !== "COMPLETED");
  }

  create(
    id: string,
    priority: number,
    maxRetries: number,
    needsPerson: boolean,
    dependsOn: string[],
    parentId?: string,
  ): void {
    const seq = ++this.#seq;
    const fresh = { retries: 0, lease: undefined, isLost: false, losses: 0, archived: false };
    const kept = { id, seq, priority, maxRetries, needsPerson, parentId };
    const task: Kept = { ...kept, ...fresh, state: "READY", notes: [], outcomes: [] };
    this.kept.set(id, task);
    for (const one of dependsOn) this.edges.add(`${id}>${one}`);
    if (this.isHeldUp(id)) task.state = "DEFINED";
    this.tell(id, "CREATED", undefined, task.state);
  }

  move(task: Kept, event: string, to: TaskState): void {
    this.tell(task.id, event, task.state, to);
    task.state = to;
    if (!["ASSIGNED", "AGENT_STARTED"].includes(event) && !event.startsWith("DEPS_"))
      task.losses = event === "RECOVERY" ? task.losses + 1 : 0;
    if (to !== "ASSIGNED" && to !== "IN_PROGRESS" && to !== "WAITING_INPUT") {
      task.lease = undefined;
      task.isLost = false;
    }
  }

  /** Whoever lists, counts or claims finds lost tasks taken back: ready, or blocked after three losses in a row. */
  advance(): void {
    for (const task of [...this.kept.values()].sort((a, b) => a.seq - b.seq)) {
      if (!task.isLost || !isActive(task)) continue;
      const isLast = task.losses >= 2;
      this.apply(task.id, isLast ? "TIMEOUT" : "RECOVERY");
      if (isLast) task.notes.push("lost leases");
    }
  }

  apply(id: string, event: TaskEvent, outcome?: string): void {
    const task = this.get(id);
    const to = task.archived ? undefined : findNextState(task.state, event);
    if (to === undefined) throw new Error("QUEUE_TASK_STATE");
    const wasCompleted = task.state === "COMPLETED";
    this.move(task, event, to);
    if (event === "ADMIN_SKIP") task.outcomes.push("skipped");
    if (outcome !== undefined) task.outcomes.push(outcome);
    this.follow(task, wasCompleted);
    if (to === "READY" && event !== "ADMIN_RESTART" && event !== "DEPS_MET" && this.isHeldUp(id))
      this.move(task, "DEPS_UNMET", "DEFINED");
  }

  follow(task: Kept, wasCompleted: boolean): void {
    if (!wasCompleted && task.state === "COMPLETED")
      for (const one of this.dependants(task.id)) this.release(one);
    if (wasCompleted && task.state !== "COMPLETED")
      for (const one of this.dependants(task.id))
        if (one.state === "READY" && !one.archived) this.move(one, "DEPS_UNMET", "DEFINED");
  }

  release(task: Kept): void {
    if (task.state === "DEFINED" && !task.archived && !this.isHeldUp(task.id))
      this.move(task, "DEPS_MET", "READY");
  }

  chooseReady(): Kept | undefined {
    return [...this.kept.values()]
      .filter(({ state, archived }) => state === "READY" && !archived)
      .sort((a, b) => a.priority - b.priority || a.seq - b.seq)[0];
  }

  end(id: string, lease: string, isDone: boolean): void {
    const task = this.get(id);
    if (task.lease !== lease) throw new Error("QUEUE_TASK_LOST");
    if (isDone) {
      this.apply(id, "AGENT_COMPLETED", "completed");
      return this.apply(id, task.needsPerson ? "PR_CREATED" : "VERIFY_PASSED");
    }
    if (task.maxRetries === 0) return this.apply(id, "AGENT_FAILED", "failed");
    if (task.retries >= task.maxRetries) return this.apply(id, "MAX_RETRIES", "failed");
    this.apply(id, "RETRY", "failed");
    task.retries++;
  }

  addEdge(id: string, dependsOn: string): void {
    const task = this.get(id);
    const upstream = this.get(dependsOn);
    if (id === dependsOn) throw new Error("QUEUE_DEPENDENCY");
    if (task.archived || isActive(task)) throw new Error("QUEUE_TASK_STATE");
    if (this.edges.has(`${id}>${dependsOn}`) || this.reaches(dependsOn, id))
      throw new Error("QUEUE_DEPENDENCY");
    this.edges.add(`${id}>${dependsOn}`);
    if (task.state === "READY" && upstream.state !== "COMPLETED") this.move(task, "DEPS_ADDED", "DEFINED");
    else this.tell(id, "DEPS_ADDED");
  }

  reaches(from: string, to: string): boolean {
    return from === to || this.upstreams(from).some(({ id }) => this.reaches(id, to));
  }

  removeEdge(id: string, dependsOn: string): void {
    const task = this.get(id);
    if (!this.edges.delete(`${id}>${dependsOn}`)) throw new Error("QUEUE_DEPENDENCY");
    this.tell(id, "DEPS_REMOVED");
    this.release(task);
  }

  archive(id: string): void {
    const task = this.get(id);
    if (task.archived || !["COMPLETED", "FAILED", "BLOCKED"].includes(task.state))
      throw new Error("QUEUE_TASK_STATE");
    task.archived = true;
    this.tell(id, "ARCHIVED");
  }

  restore(id: string): void {
    const task = this.get(id);
    if (!task.archived) throw new Error("QUEUE_TASK_STATE");
    const wasCompleted = task.state === "COMPLETED";
    task.archived = false;
    task.retries = 0;
    this.move(task, "RESTORED", "DEFINED");
    this.follow(task, wasCompleted);
    this.release(task);
  }

  delete(id: string, force: boolean): void {
    const task = this.get(id);
    if (isActive(task)) throw new Error("QUEUE_TASK_STATE");
    const dependants = this.dependants(id).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (dependants.length > 0 && !force) throw new Error("QUEUE_DEPENDENCY");
    for (const edge of this.edges) if (edge.split(">").includes(id)) this.edges.delete(edge);
    for (const one of this.kept.values()) if (one.parentId === id) one.parentId = undefined;
    this.kept.delete(id);
    this.tell(id, "DELETED", task.state);
    for (const one of dependants) {
      this.tell(one.id, "DEPS_REMOVED");
      this.release(one);
    }
  }
}

function isActive({ state }: Kept): boolean {
  return state === "ASSIGNED" || state === "IN_PROGRESS";
}

/** Numbers that look random and are the same for one seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Gives random commands to a store and to the model of it, and expects them to be the same all along. */
export async function expectTasksModelled(tasks: Tasks, commands: number, seed: number): Promise<void> {
  const random = createRandom(seed);
  const model = new Model();
  const leases: [string, string][] = [];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const pickId = () =>
    random() < 0.02 ? "no-one" : pick([...model.kept.keys()].slice(-25).concat("no-one"));
  const scope = modelScope;
  /** The command of the store, and what the model does for it; both fail by one code or not at all. */
  const both = async <Given>(work: Promise<Given>, change: (given: Given) => void): Promise<void> => {
    const [given] = await Promise.allSettled([work]);
    const failure = given.status === "rejected" ? (given.reason as unknown) : undefined;
    if (failure !== undefined && !(failure instanceof TaskError)) throw failure;
    let code: string | undefined;
    try {
      // What the store refused the model has to refuse without what the store gave.
      change((given.status === "fulfilled" ? given.value : undefined) as Given);
    } catch (thrown) {
      code = (thrown as Error).message;
    }
    expect(failure instanceof TaskError ? failure.code : undefined).toBe(code);
  };
  for (let at = 0; at < commands; at++) {
    const id = pickId();
    const kind = random();
    if (kind < 0.12 || model.kept.size < 3) {
      const dependsOn =
        random() < 0.4 ? [...new Set([pickId(), pickId()])].filter((one) => model.kept.has(one)) : [];
      const parentId = random() < 0.2 && model.kept.has(id) ? id : undefined;
      const [priority, maxRetries, needsPerson] = [pick([1, 50, 100]), pick([0, 1, 3]), random() < 0.2];
      const part = { dependsOn, priority, maxRetries, requiresApproval: needsPerson };
      await both(
        tasks.create({
          scope,
          projectId: "p",
          title: `${at}`,
          ...part,
          ...(parentId !== undefined && { parentId }),
        }),
        (made) => model.create(made.id, priority, maxRetries, needsPerson, dependsOn, parentId),
      );
    } else if (kind < 0.42) {
      // Mostly what can happen: what can't is tried for each pair elsewhere.
      const state = model.kept.get(id)?.state ?? "READY";
      const legal = taskEvents.filter(
        (event) => findNextState(state, event) !== undefined && event !== "DEPS_MET",
      );
      const event = random() < 0.8 ? pick(legal) : pick(taskEvents);
      const forced = event === "DEPS_MET" && state === "DEFINED" ? "ADMIN_STOP" : event;
      await both(tasks.apply(scope, id, forced), () => model.apply(id, forced));
    } else if (kind < 0.54) {
      const isLost = random() < 0.5;
      const claimed = await tasks.claim({ scope, agentId: `agent-${at}`, leaseMs: isLost ? 0 : 600_000 });
      model.advance();
      const next = model.chooseReady();
      expect(claimed?.id).toBe(next?.id);
      if (claimed !== undefined && next !== undefined) {
        model.apply(next.id, "ASSIGNED");
        model.apply(next.id, "AGENT_STARTED");
        next.lease = claimed.lease;
        next.isLost = isLost;
        leases.push([claimed.id, claimed.lease]);
      }
    } else if (kind < 0.68 && leases.length > 0) {
      const [task, lease] = pick(leases.slice(-8));
      const isDone = random() < 0.7;
      const outcome = isDone ? "completed" : "failed";
      const isHeld = model.kept.get(task)?.lease === lease && model.kept.get(task)?.state !== "IN_PROGRESS";
      if (!isHeld)
        await both(tasks.end({ scope, id: task, lease, result: { outcome } }), () =>
          model.end(task, lease, isDone),
        );
    } else if (kind < 0.78) {
      const other = pickId();
      await both(tasks.addDependency(scope, id, other), () => model.addEdge(id, other));
    } else if (kind < 0.82) {
      const [from = id, to = id] =
        random() < 0.7 ? (pick([...model.edges, ""]).split(">") as [string?, string?]) : [];
      await both(tasks.removeDependency(scope, from || id, to), () => model.removeEdge(from || id, to));
    } else if (kind < 0.88) {
      await both(tasks.addNote(scope, id, { kind: "feedback", text: `n${at}` }), () => {
        model.get(id).notes.push(`n${at}`);
      });
    } else if (kind < 0.93) {
      await both(tasks.archive(scope, id), () => model.archive(id));
    } else if (kind < 0.97) {
      const archived = [...model.kept.values()].filter((one) => one.archived).at(-1)?.id ?? id;
      const which = random() < 0.8 ? archived : id;
      await both(tasks.restore(scope, which), () => model.restore(which));
    } else {
      const force = random() < 0.5;
      await both(tasks.delete(scope, id, { force }), () => model.delete(id, force));
    }
    if (at % 250 === 249) await expectSame(tasks, model);
  }
  await expectSame(tasks, model);
}

async function expectSame(tasks: Tasks, model: Model): Promise<void> {
  const scope = modelScope;
  model.advance();
  const kept = [...model.kept.values()];
  const counts: Partial<Record<TaskState, number>> = {};
  for (const { state, archived } of kept) if (!archived) counts[state] = (counts[state] ?? 0) + 1;
  expect(await tasks.count({ scope })).toEqual(counts);
  const inOrder = kept
    .filter(({ archived }) => !archived)
    .sort((a, b) => a.priority - b.priority || a.seq - b.seq);
  const listed: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await tasks.list({ scope, limit: 700, ...(cursor !== undefined && { cursor }) });
    listed.push(...page.tasks.map(({ id, state, retries }) => `${id} ${state} ${retries}`));
    cursor = page.next;
  }
  expect(listed).toEqual(inOrder.map(({ id, state, retries }) => `${id} ${state} ${retries}`));
  const ids = kept.map(({ id }) => id);
  const edges = [...(await tasks.findEdges(scope, ids))].flatMap(([id, { dependsOn }]) =>
    dependsOn.map((on) => `${id}>${on}`),
  );
  expect(edges.sort()).toEqual([...model.edges].sort());
  for (const task of kept.slice(-60)) {
    const { id, state, archived, parentId } = task;
    const found = await tasks.require(scope, id);
    expect([found.state, found.archivedAt !== undefined, found.parentId]).toEqual([
      state,
      archived,
      parentId,
    ]);
    expect((await tasks.notes(scope, id)).map(({ label, text }) => label || text)).toEqual(task.notes);
    expect((await tasks.results(scope, id)).map(({ outcome }) => outcome)).toEqual(task.outcomes);
  }
  const told: string[] = [];
  for (let since = 0; ; ) {
    const page = await tasks.happenings({ scope, since, limit: 1000 });
    if (page.length === 0) break;
    told.push(...page.map(({ taskId, event, from, to }) => `${taskId} ${event} ${from ?? ""}>${to ?? ""}`));
    since = page.at(-1)?.seq ?? 0;
  }
  expect(told).toEqual(model.told);
}
