import type { FileChange } from "../undo/index.ts";
import { FileToolError } from "./errors.ts";
import type { FileServices } from "./services.ts";
import { decodeFormer, type Former, type FormerRepository, type FormerSnapshot } from "./undo/revision.ts";
import { type RepositoryChanges, readRepositoryChanges } from "./undo/undo-repository.ts";
import { type CommandChanges, readCommandChanges } from "./undo/undo-snapshot.ts";

/** One recorded change of a file tool, with what was there before. */
export interface FormerRow {
  readonly change: FileChange;
  readonly former: Exclude<Former, FormerSnapshot | FormerRepository> | null;
}

/** What was there before each of the changes of one call. */
export interface Formers {
  readonly rows: readonly FormerRow[];
  /** What commands changed, folder by folder. */
  readonly commands: readonly CommandChanges[];
  /** What commands changed in git repositories. */
  readonly repositories: readonly RepositoryChanges[];
}

/** Reads what was there before each of the changes of one call. */
export async function readFormers(services: FileServices, changes: readonly FileChange[]): Promise<Formers> {
  const rows: FormerRow[] = [];
  const snapshots: { readonly change: FileChange; readonly former: FormerSnapshot }[] = [];
  const repositories: FormerRepository[] = [];
  for (const change of changes) {
    const former = await findFormer(services, change);
    if (former?.kind === "snapshot") snapshots.push({ change, former });
    else if (former?.kind === "repository") repositories.push(former);
    else rows.push({ change, former });
  }
  return {
    rows,
    commands: await readCommandChanges(services, snapshots),
    repositories: await readRepositoryChanges(services, repositories),
  };
}

/** One row for each path that a call changed more than once: from what was there at first to what was left at last. */
export function joinRows(rows: readonly FormerRow[]): readonly FormerRow[] {
  const joined: FormerRow[] = [];
  for (const row of rows) {
    const at = joined.findIndex(
      (one) => one.change.path === row.change.path && isJoined(one) && isJoined(row),
    );
    const first = joined[at];
    if (first === undefined) joined.push(row);
    else if (first.former === null && row.change.afterHash === null) joined.splice(at, 1);
    else joined[at] = { ...first, change: { ...first.change, afterHash: row.change.afterHash } };
  }
  return joined;
}

function isJoined({ change, former }: FormerRow): boolean {
  if (former === null) return change.afterHash !== null;
  return former.kind === "bytes" || former.kind === "kept" || former.kind === "link";
}

async function findFormer(
  { artifacts }: FileServices,
  { before, path, scope }: FileChange,
): Promise<Former | null> {
  if (before === null) return null;
  const data = await artifacts.readBytes(scope, before.artifactId);
  if (data !== undefined) return decodeFormer(data);
  throw new FileToolError(
    "UNDO_NOT_KEPT",
    `Cannot undo the change of "${path}": its former content is kept no longer; put it back by hand`,
  );
}
