import type { Command } from "commander";
import type { App } from "../../../app/index.ts";
import type { CallRecord, Erasure } from "../../../modules/ledger/index.ts";
import { type AuditOptions, addAuditOptions, toAuditQuery } from "../../calls/audit-options.ts";
import type { UndoState } from "../../calls/changing-calls.ts";
import { openRecords } from "../../calls/open-records.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import type { Session } from "../../session.ts";

export function defineAudit(command: Command, session: Session): void {
  command
    .argument(
      "[call]",
      "the id of a call, to show all of it; or stats to count calls, export to write out every call, erase to erase texts of calls, rebuild to make the index of calls again",
    )
    .argument("[ids...]", "with erase: ids of the calls whose arguments and results are erased for good");
  addAuditOptions(command);
  command.action(async (callId: string | undefined, ids: readonly string[], options: AuditOptions) => {
    if (callId === "erase") return erase(session, ids, options.yes === true);
    if (ids.length > 0)
      throw new CliError(
        "CLI_USAGE",
        "Cannot show several calls at once: name one; only erase takes several",
      );
    if (options.verify === true) await verify(session, options);
    else if (callId === "stats") await stats(session, options);
    else if (callId === "rebuild") await rebuild(session);
    else if (callId === "export") await exportAll(session, options);
    else if (callId !== undefined) await show(session, callId);
    else await list(session, options);
  });
  addExamples(command, [
    ["haft audit", "the last 50 calls for this folder, newest first"],
    ["haft audit --all --client claude-code", "what Claude Code called, in whatever folder"],
    ["haft audit --since 2h --outcome denied", "what was refused in the last two hours"],
    ['haft audit --text "deploy.sh" --until 1d', "calls of more than a day ago that name a file"],
    [
      "haft audit c_mfy3k2ab_x7k2p1",
      "one call whole: arguments, decision, outcome; of a chain or script the calls it made",
    ],
    [
      "haft audit export --all --since 30d --output calls.jsonl",
      "every call of 30 days, one line of JSON each",
    ],
    ["haft audit export --format otlp > spans.jsonl", "the same for an OpenTelemetry collector"],
    ["haft audit erase c_mfy3k2ab_x7k2p1", "its arguments and result are gone for good; the proof holds"],
    ["haft audit stats --by day --since 30d", "how many calls each day, how many failed, how long they took"],
    ["haft audit --tool bash --tool edit --min-ms 5000", "calls of two tools that took 5 s or more"],
    ["haft audit --verify", "leaves with 1 if the ledger was tampered with since the last check"],
    ["haft audit --verify --all", "the same for all rows, from the first on"],
  ]);
}

async function list(session: Session, options: AuditOptions): Promise<void> {
  const query = await toAuditQuery(session, options);
  const app = await openApp(session);
  const records = await openRecords(session, app);
  const { rows: calls, more } = await records.listCalls({ ...query, limit: options.limit }, session.signal);
  const states = await findUndoStates(session, app, calls);
  if (session.asJson) {
    session.terminal.json(calls.map((call) => ({ ...call, undo: states.get(call.callId) })));
    return;
  }
  const { terminal } = session;
  const { project } = query;
  if (calls.length === 0) {
    const where = project === undefined ? "" : ` for ${project}; --all looks at every folder's`;
    terminal.err(`No calls are written down that fit${terminal.foreignError(where)}\n`);
    return;
  }
  const { renderCallList } = await import("../../text/call-record.ts");
  const undo = new Map(Array.from(states, ([id, state]) => [id, shortStates[state]]));
  terminal.out(renderCallList(calls, terminal, { folders: project === undefined, undo }));
  if (project !== undefined)
    terminal.err(`Calls for ${terminal.foreignError(project)}; --all shows those for every folder\n`);
  if (undo.size > 0)
    terminal.err(
      "Undo: `haft undo CALL` undoes a call marked can; of any other, it says what is in the way\n",
    );
  if (more) terminal.err(`These are the newest ${calls.length}; --limit shows more\n`);
}

/** The words of the column Undo. */
const shortStates: Readonly<Record<UndoState, string>> = {
  "can be undone": "can",
  undone: "done",
  "changed since": "changed since",
  "kept no copy": "no copy",
  refused: "refused",
};

/** Whether each of the calls that changed files can be undone, by its id. */
async function findUndoStates(
  session: Session,
  app: App,
  calls: readonly CallRecord[],
): Promise<ReadonlyMap<string, UndoState>> {
  if (calls.length === 0) return new Map();
  const { judgeUndo, listChangedFiles } = await import("../../calls/changing-calls.ts");
  const changed = await listChangedFiles(app, { callIds: calls.map(({ callId }) => callId) });
  const judged = await judgeUndo(app, changed, session.signal);
  return new Map(judged.map(({ call, state }) => [call.callId, state]));
}

async function exportAll(session: Session, options: AuditOptions): Promise<void> {
  const query = await toAuditQuery(session, options);
  const { exportCalls } = await import("../../calls/audit-export.ts");
  await exportCalls(session, { query, format: options.format, output: options.output });
}

async function show(session: Session, callId: string): Promise<void> {
  const { ledger } = await openStore(session);
  const call = await ledger.show(callId);
  if (call === undefined) {
    throw new CliError("CLI_NOT_FOUND", `Cannot find the call "${callId}"; \`haft audit\` lists the calls`);
  }
  const [{ listInnerCalls }, { renderCall, renderCallList }] = await Promise.all([
    import("../../../app/index.ts"),
    import("../../text/call-record.ts"),
  ]);
  const calls = await listInnerCalls(ledger, call, session.signal);
  if (session.asJson) {
    session.terminal.json({ ...call, calls: calls.map(({ callId: id }) => id) });
    return;
  }
  session.terminal.out(renderCall(call, session.terminal));
  if (calls.length > 0)
    session.terminal.out(`\nIt made these calls:\n${renderCallList(calls, session.terminal)}`);
}

/** Other places that may hold what a call took and returned. */
const elsewhere =
  "Files that it changed, copies for undo, conversations and backups keep what they hold of it";

async function erase(session: Session, ids: readonly string[], yes: boolean): Promise<void> {
  const [{ confirm }, { requireOwner }, { ownerIdentity }, { eraseCall }] = await Promise.all([
    import("../../asking/confirm.ts"),
    import("../../asking/owner-only.ts"),
    import("../../asking/owner-identity.ts"),
    import("../../../app/index.ts"),
  ]);
  await requireOwner(session, "erase calls");
  if (ids.length === 0)
    throw new CliError(
      "CLI_USAGE",
      "Cannot tell what to erase: give the ids of calls, as `haft audit` lists them",
    );
  const store = await openStore(session);
  for (const id of ids)
    if ((await store.ledger.show(id)) === undefined)
      throw new CliError("CLI_NOT_FOUND", `Cannot find the call "${id}"; \`haft audit\` lists the calls`);
  await confirm(session, {
    about: `The arguments and results of ${ids.length === 1 ? ids[0] : `${ids.length} calls`} are erased for good. ${elsewhere}.`,
    message: "Erase them?",
    action: "erase calls",
    yes,
  });
  const erased: string[] = [];
  for (const id of ids) {
    const erasure = await eraseCall(store, id, `person:${ownerIdentity()}`);
    if (erasure !== "erased") throw cannotErase(id, erasure);
    erased.push(id);
  }
  if (session.asJson) session.terminal.json({ erased });
  else session.terminal.err(`Erased ${erased.join(", ")}; \`haft audit --verify\` still holds\n`);
}

function cannotErase(id: string, why: Exclude<Erasure, "erased">): CliError {
  const told = `Cannot erase the call "${id}":`;
  switch (why) {
    case "not-found":
      return new CliError("CLI_NOT_FOUND", `${told} there is none; \`haft audit\` lists the calls`);
    case "running":
      return new CliError("CLI_BUSY", `${told} it has not ended; erase it once it has`);
    case "unerasable":
      return new CliError(
        "CLI_ARGUMENT",
        `${told} it was recorded before version 25 of the store, and the proof of the ledger is over its texts`,
      );
    default:
      return why satisfies never;
  }
}

async function verify(session: Session, { all = false, anchor }: AuditOptions): Promise<void> {
  const { verifyLedger } = await import("../../calls/verify-ledger.ts");
  await verifyLedger(session, await openApp(session), { all, anchor });
}

async function stats(session: Session, options: AuditOptions): Promise<void> {
  const { showStats } = await import("../../calls/audit-stats.ts");
  await showStats(session, await openApp(session), options);
}

async function rebuild(session: Session): Promise<void> {
  const records = await openRecords(session, await openApp(session));
  await records.rebuild(session.signal);
  if (session.asJson) session.terminal.json({ rebuilt: true });
  else session.terminal.err("The index of calls was made anew\n");
}

async function openStore(session: Session) {
  return (await openApp(session)).store();
}

async function openApp(session: Session): Promise<App> {
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  return app;
}
