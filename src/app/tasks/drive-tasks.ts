import type { Approver } from "../../kernel/index.ts";
import { JobRunner } from "../../modules/jobs/index.ts";
import { liveStates, type Run, toRunJob } from "../../modules/sessions/index.ts";
import type { AgentServices } from "../agent/agent-host.ts";
import { type RunJobServices, runJobs } from "../agent/run-jobs.ts";
import type { Background } from "../background.ts";
import { awaitNextTurn } from "./next-turn.ts";

/** How late a change is noticed. */
const lookMs = 100;

/** What {@link TaskDriver} needs of an installation. */
export interface TaskDriverServices extends RunJobServices, Pick<AgentServices, "context"> {
  readonly background: Pick<Background, "add">;
}

/** How tasks are driven. */
export interface TaskDriverOptions {
  /** Who is asked about their calls. @default nobody is: a call that asks is parked */
  readonly approver?: Approver;
  /** Tasks under way at once. @default 5 */
  readonly atOnce?: number;
  /** Told of what goes wrong with one. */
  readonly onError: (error: unknown) => void;
}

/** Drives the tasks of some conversations while their program lives. A `haft serve` of the folder may take them as well. */
export class TaskDriver {
  readonly #app: TaskDriverServices;
  readonly #options: TaskDriverOptions;
  readonly #sessions = new Set<string>();
  #runner: JobRunner | undefined;

  constructor(app: TaskDriverServices, options: TaskDriverOptions) {
    this.#app = app;
    this.#options = options;
  }

  /** Begins to drive what runs of this session started, and what those started. */
  async add(sessionId: string): Promise<void> {
    if (this.#sessions.has(sessionId)) return;
    this.#sessions.add(sessionId);
    await this.#takeOver(sessionId);
    if (this.#runner !== undefined) return;
    const { approver, atOnce = 5, onError } = this.#options;
    const { jobs } = await this.#app.store();
    this.#runner = new JobRunner({
      jobs,
      handlers: runJobs(this.#app, approver),
      atOnce,
      pollMs: 1_000,
      watchMs: lookMs,
      findKeys: async () => (await this.#listLive()).map(({ id }) => id),
      onFailure: ({ message }) => onError(new Error(message)),
    });
    this.#app.background.add(this.#runner);
    this.#runner.start();
  }

  /** The next turn of a conversation, once a task has ended. Undefined once none is under way that goes on by itself. */
  next(sessionId: string, signal: AbortSignal): Promise<Run | undefined> {
    return awaitNextTurn(this.#app, sessionId, signal);
  }

  /** The tasks of a conversation that have not ended. */
  async listOpen(sessionId: string): Promise<readonly Run[]> {
    const { runs } = await this.#app.store();
    return runs.list({
      scope: this.#app.context.scope ?? "local",
      below: sessionId,
      states: [...liveStates, "paused"],
    });
  }

  /** Leaves what is under way for the next program. */
  async close(): Promise<void> {
    await this.#runner?.close(0);
  }

  /** Queues the runs of a process that has died, whose jobs wait for the end of their lease. */
  async #takeOver(sessionId: string): Promise<void> {
    const { runs, jobs } = await this.#app.store();
    const scope = this.#app.context.scope ?? "local";
    for (const run of await runs.list({ scope, below: sessionId, states: ["running"], limit: 1_000 })) {
      // A run that a living process drives can't be claimed.
      const claimed = await runs.claim(scope, run.id, lookMs);
      if (claimed === undefined) continue;
      await runs.release(claimed);
      const job = toRunJob(run, Date.now());
      for (const { id } of await jobs.list({ kinds: [job.kind], scope, key: run.id, states: ["running"] }))
        await jobs.cancel(id);
      await jobs.enqueue(job);
    }
  }

  async #listLive(): Promise<readonly Run[]> {
    const { runs } = await this.#app.store();
    const scope = this.#app.context.scope ?? "local";
    const found = await Promise.all(
      [...this.#sessions].map((below) => runs.list({ scope, below, states: liveStates, limit: 1_000 })),
    );
    return found.flat();
  }
}
