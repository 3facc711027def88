import type { App } from "../../app/index.ts";
import { getErrorCode, getErrorMessage, showInvisible } from "../../base/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import type { Terminal } from "../terminal.ts";
import { toShortTime } from "../text/call-record.ts";
import { renderTable } from "../text/table.ts";

/** What `haft undo` can do about one call; `refused` has a reason, such as a rule. */
export const undoStates = ["can be undone", "undone", "changed since", "kept no copy", "refused"] as const;
export type UndoState = (typeof undoStates)[number];

/** One call that changed files. */
export interface ChangedFiles {
  readonly call: CallRecord;
  readonly paths: readonly string[];
  readonly undone: boolean;
}

/** One call that changed files, as `haft undo` lists it. */
export interface UndoableCall {
  readonly call: CallRecord;
  readonly state: UndoState;
  readonly paths: readonly string[];
  /** The latest call of a file tool that changed one of the files after this one. */
  readonly changedBy?: string;
  /** Why undo would refuse. */
  readonly reason?: string;
}

export interface UndoableQuery {
  /** Calls for this project folder. @default every folder */
  readonly project?: string;
  readonly session?: string;
  /** Calls with these ids. @default the calls of every id */
  readonly callIds?: readonly string[];
}

/** The tool that undoes calls; its own calls can be undone too. */
export const undoTool = "undo_changes";

/** Recorded changes that are looked at. */
const maxChanges = 5000;
/** Most calls that one query of the ledger returns. */
const pageSize = 1000;
/** Calls whose files are compared at the same time. */
const checkedAtOnce = 4;

/** The calls that changed files and fit the query, newest first. */
export async function listChangedFiles(
  app: App,
  { project, session, callIds }: UndoableQuery = {},
): Promise<readonly ChangedFiles[]> {
  const { changes } = await app.store();
  const found = await changes.list(app.context.scope ?? "local", {
    limit: maxChanges,
    ...(callIds !== undefined && { callIds }),
  });
  const records = await findRecords(
    app,
    found.map(({ callId }) => callId),
  );
  return found.flatMap(({ callId, paths, undone }) => {
    const call = records.get(callId);
    if (call === undefined) return [];
    if (project !== undefined && call.project !== project) return [];
    if (session !== undefined && call.session !== session) return [];
    return [{ call, paths, undone }];
  });
}

/** The newest record of each id, a page of ids at a time. */
async function findRecords(app: App, callIds: readonly string[]): Promise<ReadonlyMap<string, CallRecord>> {
  const { ledger } = await app.store();
  const records = new Map<string, CallRecord>();
  for (let at = 0; at < callIds.length; at += pageSize) {
    const page = callIds.slice(at, at + pageSize);
    for (const call of await ledger.list({ callIds: page, limit: pageSize }))
      if (!records.has(call.callId)) records.set(call.callId, call);
  }
  return records;
}

/** Finds out whether calls can be undone by comparing their files with what the calls left; nothing is changed. */
export async function judgeUndo(
  app: App,
  calls: readonly ChangedFiles[],
  signal: AbortSignal,
): Promise<readonly UndoableCall[]> {
  const judged: UndoableCall[] = [];
  for (let at = 0; at < calls.length; at += checkedAtOnce) {
    signal.throwIfAborted();
    const some = calls.slice(at, at + checkedAtOnce);
    judged.push(...(await Promise.all(some.map((one) => judgeOne(app, one, signal)))));
  }
  return judged;
}

/** Names the latest call of a file tool that stands in the way of each; `later` holds all that changed files, newest first. */
export function nameLaterCalls(
  judged: readonly UndoableCall[],
  later: readonly ChangedFiles[],
): readonly UndoableCall[] {
  return judged.map((one) => {
    const { call, state, reason = "" } = one;
    if (state !== "changed since") return one;
    const at = later.findIndex((other) => other.call.callId === call.callId);
    // An undo brings a file back to what an earlier call left, so it stands in no way.
    const by = later
      .slice(0, Math.max(at, 0))
      .find(
        (other) =>
          !other.undone &&
          other.call.toolName !== undoTool &&
          other.paths.some((path) => reason.includes(`"${path}" `)),
      );
    return by === undefined ? one : { ...one, changedBy: by.call.callId };
  });
}

async function judgeOne(
  app: App,
  { call, paths, undone }: ChangedFiles,
  signal: AbortSignal,
): Promise<UndoableCall> {
  if (undone) return { call, paths, state: "undone" };
  const folders = call.project === undefined ? [] : [call.project];
  const context = {
    ...app.context,
    origin: { channel: "cli" },
    // The person who asks may look at what was changed, wherever it is.
    allowedPaths: [...folders, ...paths],
    signal,
  };
  try {
    const { verdict } = await app.executor.foresee(undoTool, { call_id: call.callId }, context, {
      check: "always",
    });
    if (verdict.decision !== "deny") return { call, paths, state: "can be undone" };
    return { call, paths, state: "refused", reason: verdict.rule?.reason ?? "a rule forbids it" };
  } catch (error) {
    signal.throwIfAborted();
    return {
      call,
      paths,
      state: states[getErrorCode(error) ?? ""] ?? "refused",
      reason: getErrorMessage(error),
    };
  }
}

const states: Readonly<Record<string, UndoState>> = {
  UNDO_CONFLICT: "changed since",
  UNDO_NOT_KEPT: "kept no copy",
  UNDO_UNKNOWN: "undone",
};

/** A table of the calls, newest first: when, which, what, for whom, and whether they can be undone. */
export function renderUndoable(calls: readonly UndoableCall[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "When" },
      { title: "Call", whole: true, paint: (text) => terminal.paint("bold", text) },
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
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["Client", "When"],
    },
  );
}
