import { type Run, type Runs, readWaits } from "../../modules/sessions/index.ts";
import { findServing } from "../find-serving.ts";
import type { Session } from "../session.ts";

/** The parked runs that wait for answers, by the ids of the questions. */
export async function findWaitingRuns(
  runs: Pick<Runs, "list">,
  scope: string,
): Promise<ReadonlyMap<string, Run>> {
  const parked = await runs.list({ scope, states: ["parked"], limit: 1000 });
  return new Map(
    parked.flatMap((run) =>
      readWaits(run.waitFor).flatMap((wait) => (wait.for === "approval" ? [[wait.id, run] as const] : [])),
    ),
  );
}

/** Says how a run goes on whose question is answered: a `haft serve` of its folder does it, or a command. */
export async function describeGoingOn(session: Session, { id, project }: Run): Promise<string> {
  if ((await findServing(session, project)) !== undefined) return `the run ${id} goes on`;
  const where = project === undefined || project === session.folder() ? "" : ` in ${project}`;
  return `the run ${id} goes on with \`haft serve\`, which is not running for its folder, or with \`haft run --resume ${id}\`${where}`;
}
