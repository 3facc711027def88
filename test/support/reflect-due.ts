import type { App } from "../../src/app/index.ts";
import { reflectJobs } from "../../src/app/reflection/index.ts";
import { reflectJobKind } from "../../src/modules/sessions/index.ts";

/**
 * Does the jobs of reflection that are due, and says how many there were.
 *
 * @param leaseMs How long after this process has died another may take its job over. @default 60,000
 */
export async function reflectDue(app: App, leaseMs = 60_000): Promise<number> {
  const { jobs } = await app.store();
  const kinds = [reflectJobKind(app.folder)];
  for (let done = 0; ; done++) {
    const job = await jobs.claim({ kinds, leaseMs });
    if (job === undefined) return done;
    await reflectJobs(app)[job.kind]?.(job, new AbortController().signal);
    await jobs.complete(job);
  }
}
