import type { App, Records } from "../../app/index.ts";
import { Progress } from "../memory/progress.ts";
import type { Session } from "../session.ts";

/** Opens the records, and says at a terminal how far their index is where an answer waits for it. */
export async function openRecords({ terminal, signal }: Session, app: App): Promise<Records> {
  const records = await app.records();
  const progress = new Progress(terminal);
  records.onIndexing((indexing) => {
    if (indexing === undefined || signal.aborted) return progress.end();
    const { part, rows, of } = indexing;
    progress.tell(`Indexing ${part}: ${rows.toLocaleString("en")} of ${of.toLocaleString("en")} rows`);
  });
  signal.addEventListener("abort", () => progress.end(), { once: true });
  return records;
}
