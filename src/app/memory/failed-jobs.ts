import type { Job, Jobs } from "../../modules/jobs/index.ts";

const mostListed = 1000;

/** Jobs of a scope that were given up, and that nothing has tried again since. */
export async function findFailedJobs(jobs: Pick<Jobs, "list">, scope: string): Promise<readonly Job[]> {
  const given = await jobs.list({ states: ["dead_letter"], scope, limit: mostListed });
  const found: Job[] = [];
  for (const job of given) {
    const [last] = await jobs.list({ kinds: [job.kind], scope, key: job.key, limit: 1 });
    if (last?.id === job.id) found.push(job);
  }
  return found;
}
