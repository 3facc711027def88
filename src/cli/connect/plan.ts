import { applyClientEdit, readIfThere, takeBackEdit } from "../../app/index.ts";
import type { ClientEntry, ClientSetting } from "./client-entry.ts";
import type { ConnectedFile } from "./connection-record.ts";
import type { FileChange } from "./file-change.ts";

/** Plans the changes of a client's files that add haft and switch off the client's own tools and question. */
export async function planConnect(
  entry: ClientEntry,
  setting: ClientSetting,
): Promise<readonly FileChange[]> {
  const edits = [
    entry.server(setting),
    ...entry.ownTools(setting).edits,
    ...entry.ownQuestion(setting).edits,
  ];
  const changes = new Map<string, FileChange>();
  for (const edit of edits) {
    const planned = changes.get(edit.file);
    const before = planned === undefined ? readIfThere(edit.file) : planned.before;
    const { text, back } = await applyClientEdit(planned === undefined ? before : planned.after, edit);
    changes.set(edit.file, {
      file: edit.file,
      form: edit.form,
      before,
      after: text,
      back: [...(planned?.back ?? []), ...back],
    });
  }
  return Array.from(changes.values()).filter(({ back }) => back.length > 0);
}

export interface UndoPlan {
  readonly changes: readonly FileChange[];
  /** A sentence for each place that the owner changed since and that therefore stays. */
  readonly kept: readonly string[];
}

/**
 * Plans how to restore a client's files. A file that was not changed since is restored byte for byte; from one that
 * was changed, only haft's part is removed.
 */
export async function planUndo(
  files: readonly ConnectedFile[],
  digest: (text: string) => string,
): Promise<UndoPlan> {
  const changes: FileChange[] = [];
  const kept: string[] = [];
  for (const { file, form, before, afterDigest, back } of files.toReversed()) {
    const now = readIfThere(file);
    if (now === undefined) {
      kept.push(`${file} is gone already`);
      continue;
    }
    if (digest(now) === afterDigest) {
      changes.push({ file, form, before: now, after: before ?? undefined, back: [] });
      continue;
    }
    const { text, kept: places } = await takeBackEdit(now, { file, form, back });
    kept.push(...places.map((place) => `${place} of ${file} was changed since, and stays as it is`));
    if (text !== now) changes.push({ file, form, before: now, after: text, back: [] });
  }
  return { changes, kept };
}
