import type { App } from "../../app/index.ts";
import type { Session } from "../session.ts";
import { type AuditOptions, toAuditQuery } from "./audit-options.ts";
import { openRecords } from "./open-records.ts";

/** Counts the calls that fit the filters, by one field, and prints the counts. */
export async function showStats(session: Session, app: App, options: AuditOptions): Promise<void> {
  const { terminal, signal } = session;
  const query = await toAuditQuery(session, options);
  const counts = await (await openRecords(session, app)).countCalls(query, options.by, signal);
  if (session.asJson) {
    terminal.json({ by: options.by, rows: counts });
    return;
  }
  const { project } = query;
  if (counts.length === 0) {
    const where = project === undefined ? "" : ` for ${project}; --all looks at every folder's`;
    terminal.err(`No calls are written down that fit${terminal.foreignError(where)}\n`);
    return;
  }
  const { renderCounts } = await import("./render-counts.ts");
  terminal.out(renderCounts(counts, options.by, terminal));
  if (project !== undefined)
    terminal.err(`Calls for ${terminal.foreignError(project)}; --all counts those for every folder\n`);
}
