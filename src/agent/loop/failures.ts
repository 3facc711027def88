import type { Entry } from "../../modules/sessions/index.ts";
import type { NoteSubject } from "./read-run.ts";

/** Number of failed calls in a row after which the model is asked for a verdict. */
const judgedFailures = 3;

/** Whether the newest {@link judgedFailures} calls of a run have all failed, and no verdict on them exists. */
export function hasFailedRepeatedly(entries: readonly Entry[], runId: string): boolean {
  let count = 0;
  for (let at = entries.length - 1; at >= 0 && count < judgedFailures; at--) {
    const entry = entries[at] as Entry;
    if (entry.runId !== runId) continue;
    if (entry.kind === "user" || (entry.kind === "note" && isVerdict(entry.about))) return false;
    if (entry.kind !== "result") continue;
    if (!entry.failed) return false;
    count++;
  }
  return count === judgedFailures;
}

function isVerdict(about: string): boolean {
  return about === ("verdict" satisfies NoteSubject) || about === ("wind-up" satisfies NoteSubject);
}
