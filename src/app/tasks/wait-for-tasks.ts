import { type Clock, pause } from "../../base/index.ts";
import { formatWait, type Run, readWaits } from "../../modules/sessions/index.ts";
import { isHalted, type TaskCaller, type TaskRun, TaskRunError } from "../../modules/tasks/index.ts";
import type { Store } from "../store/open-store.ts";
import type { DrivenRuns } from "./driven-runs.ts";

/** How often tasks are looked at by a call that waits in its process. */
const lookMs = 100;

/** Which tasks are waited for, and how long. */
export interface TaskWait {
  readonly ms: number;
  /** Whether to wait for all of them. */
  readonly all: boolean;
  /** The run that waits; undefined for a person, or another program. */
  readonly reader: Run | undefined;
  /** The runs whose end the reader was told before: they are waited for no more. */
  readonly told: ReadonlySet<string>;
}

/** What {@link TaskWaiter} works with. */
export interface TaskWaiterParts {
  readonly store: Pick<Store, "sessions">;
  readonly driven: Pick<DrivenRuns, "find">;
  readonly clock: Clock;
}

/**
 * Waits for tasks. A run in the background is parked meanwhile, so that no process and no place among runs is kept for
 * it; any other call waits in its process, and lets other calls have its turn.
 */
export class TaskWaiter {
  readonly #parts: TaskWaiterParts;

  constructor(parts: TaskWaiterParts) {
    this.#parts = parts;
  }

  /**
   * @param find Finds the tasks as they are now.
   * @throws {TaskRunError} TASK_WAITING
   */
  async wait(
    wait: TaskWait,
    caller: TaskCaller,
    find: () => Promise<readonly TaskRun[]>,
  ): Promise<readonly TaskRun[]> {
    const { clock } = this.#parts;
    const until = (await this.#findEnd(wait, caller)) ?? clock.now() + wait.ms;
    const first = await find();
    if (isOver(first, wait) || clock.now() >= until) return first;
    const driven = caller.runId === undefined ? undefined : this.#parts.driven.find(caller.runId);
    if (driven?.parks === true && !caller.isInner) throw waiting(first, wait, until);
    return caller.wait(async (signal) => {
      let found = first;
      while (!isOver(found, wait) && clock.now() < until) {
        await pause(clock, Math.max(0, Math.min(lookMs, until - clock.now())), signal);
        signal.throwIfAborted();
        found = await find();
      }
      return found;
    });
  }

  /** When the wait of a call that was parked before is over: its time runs on from its first attempt. */
  async #findEnd({ reader }: TaskWait, { callId }: TaskCaller): Promise<number | undefined> {
    const [own, attempt] = callId.split("~");
    if (reader === undefined || attempt === undefined) return undefined;
    const { scope, sessionId } = reader;
    const parked = await this.#parts.store.sessions.entries(scope, sessionId, { kind: "parked" });
    const entry = parked.find((one) => one.kind === "parked" && one.callId === own);
    const waits = entry?.kind === "parked" ? readWaits(entry.waitFor) : [];
    return waits.flatMap((one) => (one.for === "time" ? [one.at] : []))[0];
  }
}

/** A task that needs a person would keep the others waiting for as long as it takes. */
function isOver(found: readonly TaskRun[], { all, told }: TaskWait): boolean {
  const open = found.filter(({ run }) => !isHalted(run));
  const news = found.filter(({ run }) => isHalted(run) && !told.has(run.id));
  const isHeld = open.some(({ run }) => isAsking(run)) || news.some(({ run }) => run.state === "paused");
  return open.length === 0 || isHeld || (!all && news.length > 0);
}

function isAsking({ state, why }: Run): boolean {
  return state === "parked" && why === "approval";
}

function waiting(found: readonly TaskRun[], { all }: TaskWait, until: number): TaskRunError {
  const open = found.filter(({ run }) => !isHalted(run));
  const waitFor = [
    ...open.map(({ run }) => formatWait({ for: "halt", id: run.id })),
    formatWait({ for: "time", at: until }),
  ].join(" ");
  const ids = open.map(({ task }) => task.id).join(", ");
  return new TaskRunError(
    "TASK_WAITING",
    `It is waited for ${all ? "all of " : ""}${ids}: the run goes on once ${all ? "they have" : "one has"} ended`,
    { details: { waitFor } },
  );
}
