import type { Transaction } from "kysely";
import { isRecord } from "../../../base/index.ts";
import type { JobTables, NewJob, SqlJobs } from "../../jobs/index.ts";
import type { Run, RunState } from "./runs.ts";
import type { Tables } from "./tables.ts";

/** The kind of the jobs that record in memory what was said in a run of a project folder. */
export function recordJobKind(project: string | undefined): string {
  return nameKind("agent.record", project);
}

/** The kind of the jobs that reflect on tasks of a project folder. */
export function reflectJobKind(project: string | undefined): string {
  return nameKind("agent.reflect", project);
}

/** Each folder has its own, since another folder may have another configuration. */
function nameKind(name: string, project: string | undefined): string {
  return project === undefined ? name : `${name} ${project}`;
}

/** States in which somebody has been answered. */
const answered: readonly RunState[] = ["completed", "failed", "stopped", "paused"];

/**
 * Stores what follows from the end of a run as jobs, in the transaction that ends it, so that no crash comes between. A
 * turn is recorded in memory. A task is reflected on, if its settings have `reflects`.
 */
export class RunAftermath {
  readonly #jobs: Pick<SqlJobs, "enqueueIn">;

  constructor({ jobs }: { readonly jobs: Pick<SqlJobs, "enqueueIn"> }) {
    this.#jobs = jobs;
  }

  /** A run has changed its state. */
  readonly onChanged = async (tx: Transaction<Tables>, run: Run): Promise<void> => {
    for (const kind of listJobKinds(run)) {
      const job: NewJob = { kind, scope: run.scope, key: run.id };
      await this.#jobs.enqueueIn(tx as unknown as Transaction<JobTables>, job);
    }
  };
}

function listJobKinds({ kind, state, settings, project }: Run): readonly string[] {
  if (kind === "turn" && answered.includes(state)) return [recordJobKind(project)];
  const isDone = state === "completed" || state === "failed";
  if (kind === "task" && isDone && isRecord(settings) && settings["reflects"] === true)
    return [reflectJobKind(project)];
  return [];
}
