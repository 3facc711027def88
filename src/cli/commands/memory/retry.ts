import { findFailedJobs } from "../../../app/memory/index.ts";
import { CliError } from "../../errors.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import type { Session } from "../../session.ts";

export async function retryJobs(session: Session, of: MemoryOptions, id: string | undefined): Promise<void> {
  const { terminal } = session;
  const { app, scope } = await openMemory(session, of);
  const { jobs } = await app.store();
  const failed = await findFailedJobs(jobs, scope);
  const meant = id === undefined ? failed : failed.filter((job) => job.id === id);
  if (id !== undefined && meant.length === 0)
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot try "${id}" again: no such job failed for good; \`haft memory\` lists them`,
    );
  for (const { kind, key, payload } of meant) await jobs.enqueue({ kind, scope, key, payload });
  if (session.asJson) terminal.json({ retried: meant.map((job) => job.id) });
  else if (meant.length === 0) terminal.err("Nothing failed for good\n");
  else
    terminal.out(
      `${meant.length} ${meant.length === 1 ? "job waits" : "jobs wait"} for a haft that stays: \`haft serve\`, or \`haft mcp\` in a client; one that runs begins within half a minute\n`,
    );
}
