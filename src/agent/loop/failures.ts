import type { Entry } from "../../modules/sessions/index.ts";
import type { NoteSubject } from "./read-run.ts";

/** This many failed calls in a row are judged. */
const judgedFailures = 3;

/** Whether the newest calls of a run have failed, as many as are judged, and were not judged yet. */
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
