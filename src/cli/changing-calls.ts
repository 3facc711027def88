import type { App } from "../app/index.ts";
import { showInvisible } from "../base/index.ts";
import type { CallRecord } from "../store/index.ts";
import { toShortTime } from "./call-record-text.ts";
import type { Terminal } from "./terminal.ts";
import { renderTable } from "./text-table.ts";

/** What `haft undo` can do about one call. */
export const undoStates = ["can be undone", "undone", "changed since"] as const;
export type UndoState = (typeof undoStates)[number];

/** One call that changed files, as `haft undo` lists it. */
export interface UndoableCall {
  readonly call: CallRecord;
  readonly state: UndoState;
  readonly paths: readonly string[];
  /** The latest call that changed one of the files after this one; set if the state is `changed since`. */
  readonly changedBy?: string;
}

export interface UndoableQuery {
  /** Calls for this project folder. @default every folder */
  readonly project?: string;
  readonly session?: string;
  /** List at most this many calls. */
  readonly limit: number;
}

/** The tool that undoes calls; its own calls can be undone too. */
export const undoTool = "undo_changes";

/** Recorded changes that are looked at. */
const maxChanges = 5000;

/** The calls that changed files and fit the query, newest first. */
export async function listUndoable(
  app: App,
  { project, session, limit }: UndoableQuery,
): Promise<readonly UndoableCall[]> {
  const { changes, ledger } = await app.store();
  const later = new Map<string, string>();
  const found: UndoableCall[] = [];
  for (const { callId, paths, undone } of await changes.list(app.context.scope ?? "local", {
    limit: maxChanges,
  })) {
    if (found.length === limit) break;
    const call = await ledger.show(callId);
    if (call === undefined) continue;
    const changedBy = undone
      ? undefined
      : paths.map((path) => later.get(path)).find((id) => id !== undefined);
    // An undo brings a file back to what an earlier call left, so that call can still be undone.
    if (!undone && call.toolName !== undoTool)
      for (const path of paths) if (!later.has(path)) later.set(path, callId);
    if (project !== undefined && call.project !== project) continue;
    if (session !== undefined && call.session !== session) continue;
    const state = undone ? "undone" : changedBy === undefined ? "can be undone" : "changed since";
    found.push({ call, state, paths, ...(changedBy !== undefined && { changedBy }) });
  }
  return found;
}

/** Whether each of the calls that changed files can be undone, by its id. */
export async function findUndoStates(
  app: App,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, UndoState>> {
  if (callIds.length === 0) return new Map();
  const { changes } = await app.store();
  const found = await changes.list(app.context.scope ?? "local", { callIds, limit: maxChanges });
  return new Map(found.map(({ callId, undone }) => [callId, undone ? "undone" : "can be undone"]));
}

/** A table of the calls, newest first: when, which, what, for whom, and whether they can be undone. */
export function renderUndoable(calls: readonly UndoableCall[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "When" },
      { title: "Call", paint: (text) => terminal.paint("bold", text) },
      { title: "What", overflow: "cut" },
      { title: "Client" },
      { title: "State" },
    ],
    calls.map(({ call, state, changedBy }) => [
      toShortTime(call.startedAt),
      call.callId,
      showInvisible(`${call.toolName} ${call.paramsText}`.replaceAll("\n", " ")),
      showInvisible(call.client?.name ?? call.channel ?? ""),
      changedBy === undefined ? state : `${state}, by ${changedBy}`,
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}
