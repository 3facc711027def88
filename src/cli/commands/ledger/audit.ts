import { type Command, InvalidArgumentError, Option } from "commander";
import type { App, ExportFormat } from "../../../app/index.ts";
import type { ChainHead, Erasure } from "../../../modules/ledger/index.ts";
import { type CallRecord, type CallState, callStates } from "../../../modules/ledger/index.ts";
import type { AuditQuery } from "../../calls/audit-export.ts";
import type { UndoState } from "../../calls/changing-calls.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import { exitCodes } from "../../exit-codes.ts";
import { toNumber } from "../../options/whole-number.ts";
import type { Session } from "../../session.ts";
import { ledgerRemedy } from "../../store-remedies.ts";

interface AuditOptions {
  readonly tool?: string;
  readonly task?: string;
  readonly client?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly text?: string;
  readonly all?: boolean;
  readonly outcome?: CallState;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly yes?: boolean;
  readonly verify?: boolean;
  readonly anchor?: ChainHead;
  readonly format: ExportFormat;
  readonly output?: string;
}

export function defineAudit(command: Command, session: Session): void {
  command
    .argument(
      "[call]",
      "the id of one call, to see all that is known of it; export, to write out every call; or erase",
    )
    .argument("[ids...]", "with erase: the calls whose arguments and results are erased for good")
    .option("--tool <name>", "only calls of this tool (default: all)")
    .option("--task <id>", "only calls of this task (default: all)")
    .option("--client <name>", "only calls of programs that named themselves so (default: all)")
    .option("--agent <id>", "only calls of this agent (default: all)")
    .option("--session <id>", "only calls of this session (default: all)")
    .option("--text <text>", "only calls whose arguments or result hold this text (default: all)")
    .option("--all", "calls for every project folder, and those of before folders were written down")
    .addOption(
      new Option("--outcome <state>", "only calls that came to this (default: all)").choices(callStates),
    )
    .option(
      "--since <when>",
      "only calls since then: 30m, 2h, 7d, or a date such as 2026-01-31T12:00 (default: all)",
    )
    .option("--until <when>", "only calls before then, in the same forms (default: all)")
    .option("--limit <n>", "list at most this many calls, 1 to 1000", toNumber(1, 1000), 50)
    .option("--verify", "check that no row of the ledger was changed, and name the first that was")
    .option(
      "--anchor <seq:hash>",
      "with --verify: an end of the chain that it printed earlier (default: none)",
      toAnchor,
    )
    .addOption(
      new Option("--format <format>", "with export: lines of JSON, or OpenTelemetry traces")
        .choices(["jsonl", "otlp"] satisfies ExportFormat[])
        .default("jsonl"),
    )
    .option("--output <file>", "with export: a new file to write (default: standard output)")
    .option("-y, --yes", "with erase: do not ask first")
    .action(async (callId: string | undefined, ids: readonly string[], options: AuditOptions) => {
      if (callId === "erase") return erase(session, ids, options.yes === true);
      if (ids.length > 0)
        throw new CliError(
          "CLI_USAGE",
          "Cannot show several calls at once: name one; only erase takes several",
        );
      if (options.verify === true) await verify(session, options.anchor);
      else if (callId === "export") await exportAll(session, options);
      else if (callId !== undefined) await show(session, callId);
      else await list(session, options);
    });
  addExamples(command, [
    ["haft audit", "the last 50 calls for this folder, newest first"],
    ["haft audit --all --client claude-code", "what Claude Code called, in whatever folder"],
    ["haft audit --since 2h --outcome denied", "what was refused in the last two hours"],
    ['haft audit --text "deploy.sh" --until 1d', "what named a file, of more than a day ago"],
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
    ["haft audit --verify", "leaves with 1 if the ledger was tampered with"],
  ]);
}

async function list(session: Session, options: AuditOptions): Promise<void> {
  const query = await toQuery(session, options);
  const app = await openApp(session);
  const { ledger } = await app.store();
  const calls = await ledger.list({ ...query, limit: options.limit });
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
  if (calls.length === options.limit)
    terminal.err(`These are the newest ${calls.length}; --limit shows more\n`);
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
  const query = await toQuery(session, options);
  const { exportCalls } = await import("../../calls/audit-export.ts");
  await exportCalls(session, { query, format: options.format, output: options.output });
}

async function toQuery(
  session: Session,
  { tool, task, outcome, since, until, client, agent, session: inSession, text, all }: AuditOptions,
): Promise<AuditQuery> {
  const { parseSince } = await import("../../options/since.ts");
  return {
    ...(all !== true && { project: session.folder() }),
    ...(client !== undefined && { client }),
    ...(agent !== undefined && { agentId: agent }),
    ...(inSession !== undefined && { session: inSession }),
    ...(text !== undefined && text !== "" && { text }),
    ...(tool !== undefined && { tool }),
    ...(task !== undefined && { taskId: task }),
    ...(outcome !== undefined && { state: outcome }),
    ...(since !== undefined && { since: parseSince(since, Date.now()) }),
    ...(until !== undefined && { until: parseSince(until, Date.now(), "--until") }),
  };
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

async function verify(session: Session, anchor: ChainHead | undefined): Promise<void> {
  const { ledger, path } = await openStore(session);
  const found = await ledger.verify({ signal: session.signal, ...(anchor !== undefined && { anchor }) });
  if (!found.valid) session.exitCode = exitCodes.failed;
  if (session.asJson) session.terminal.json(found);
  else if (found.valid) {
    session.terminal.out(
      `The ledger is whole: ${found.rows} rows${found.erased === 0 ? "" : `, the texts of ${found.erased} ${found.erased === 1 ? "call" : "calls"} erased`}\nIts end, for a later --anchor: ${found.head.seq}:${found.head.hash}\n`,
    );
  } else {
    const { seq, fault, message } = found.broken;
    session.terminal.out(
      `The ledger is broken at row ${seq} (${fault}): ${message}\nThe ${found.rows} rows before it are sound\n→ ${ledgerRemedy(path)}\n`,
    );
  }
}

async function openStore(session: Session) {
  return (await openApp(session)).store();
}

async function openApp(session: Session): Promise<App> {
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  return app;
}

function toAnchor(text: string): ChainHead {
  // An empty ledger ends at row 0, without a hash.
  const match = /^(?:([1-9]\d{0,14}):([0-9a-f]{64})|0:)$/.exec(text);
  if (match !== null) return { seq: Number(match[1] ?? 0), hash: match[2] ?? "" };
  throw new InvalidArgumentError(
    "give seq:hash, as --verify printed it: a row's number and the 64 hexadecimal digits of its hash.",
  );
}
