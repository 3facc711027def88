import type { Command } from "commander";
import type { App } from "../../app/index.ts";
import { isRecord } from "../../base/index.ts";
import type { ToolResult } from "../../kernel/index.ts";
import { confirm } from "../asking/confirm.ts";
import { approverFor } from "../asking/terminal-approver.ts";
import {
  type ChangedFiles,
  judgeUndo,
  listChangedFiles,
  nameLaterCalls,
  renderUndoable,
  undoTool,
} from "../calls/changing-calls.ts";
import { CallDisplay } from "../calls/display.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodes, toExitCode } from "../exit-codes.ts";
import { toNumber } from "../options/whole-number.ts";
import type { Session } from "../session.ts";

interface UndoOptions {
  readonly last?: boolean;
  readonly session?: string | true;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly limit?: number;
}

/** Calls that the list shows. */
const defaultLimit = 20;
const mostListed = 1000;

export function defineUndo(command: Command, session: Session): void {
  command
    .argument("[call]", "the id of the call to undo (default: none, list what can be undone)")
    .option("--last", "undo the latest call for this folder that changed files and can be undone")
    .option(
      "--session [id]",
      "undo all calls of a client's session, the latest first (default: the session of the latest call)",
    )
    .option("--all", "list calls for every project folder")
    .option("--limit <n>", "list at most this many calls, 1 to 1000", toNumber(1, mostListed), defaultLimit)
    .option(
      "-y, --yes",
      "answer yes where putting a file back would ask, as outside the project folder, and to undoing a session",
    )
    .action(async (callId: string | undefined, options: UndoOptions) => {
      checkOptions(callId, options);
      const app = await session.openApp({ sources: "once" });
      session.warn(app.loaded.warnings);
      if (callId !== undefined) await undoNamed(session, app, callId, options);
      else if (options.last === true) await undoLast(session, app, options);
      else if (options.session !== undefined) await undoSession(session, app, options);
      else await list(session, app, options);
    });
  addExamples(command, [
    ["haft undo", "what can be undone in this folder, newest first"],
    ["haft undo --last", "the files are as they were before the latest call that changed some"],
    ["haft undo c_mfy3k2ab_x7k2p1", "the files are as they were before that call"],
    ["haft undo --session", "all that the latest session changed is put back"],
  ]);
  command.addHelpText(
    "after",
    "\nAll files are put back, or none: where one was changed again since, it is named and nothing happens.\nState: `changed since`, by whomever; `kept no copy`, what it replaced is kept no longer; `refused`, by a rule or\nbecause of the path. --session stops at the first call that can't be undone and names those that are left.\nA command (`bash`) and a script are undone as a whole. What a command changed in node_modules and other derived\nfolders is not kept; of .git only HEAD, refs and the index are, with git stash, switch and the like.\nAn undo is a call too, and can be undone by its id.",
  );
}

function checkOptions(callId: string | undefined, { last, session, all }: UndoOptions): void {
  const chosen = [callId !== undefined, last === true, session !== undefined, all === true];
  if (chosen.filter(Boolean).length <= 1) return;
  throw new CliError(
    "CLI_USAGE",
    "Cannot undo: give the id of a call, --last or --session, one of them; --all is for the list",
  );
}

async function list(session: Session, app: App, { all, limit = defaultLimit }: UndoOptions): Promise<void> {
  const project = session.folder();
  const found = await listChangedFiles(app, all === true ? {} : { project });
  const judged = await judgeUndo(app, found.slice(0, limit), session.signal);
  const calls = nameLaterCalls(judged, found);
  const { terminal } = session;
  if (session.asJson) {
    terminal.json(
      calls.map(({ call, ...rest }) => ({
        callId: call.callId,
        tool: call.toolName,
        startedAt: call.startedAt,
        client: call.client,
        session: call.session,
        project: call.project,
        ...rest,
      })),
    );
  } else if (calls.length > 0) terminal.out(renderUndoable(calls, terminal));
  if (calls.length < found.length)
    terminal.err(
      `These are the newest ${calls.length} of ${found.length}; --limit ${Math.min(found.length, mostListed)} lists more\n`,
    );
  if (session.asJson) return;
  const where = all === true ? "" : ` for ${project}; --all looks at every folder's`;
  terminal.err(
    calls.length === 0
      ? `No call that changed files is known${terminal.foreignError(where)}\n`
      : "`haft undo CALL` undoes one of them, `haft undo --last` the latest\n",
  );
}

async function undoNamed(session: Session, app: App, callId: string, options: UndoOptions): Promise<void> {
  const { changes } = await app.store();
  if ((await changes.ofCall(app.context.scope ?? "local", callId)).length === 0) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot undo "${callId}": no call of that name changed files, or it was undone already; \`haft undo\` lists what can be undone, \`haft memory undo\` takes back a change of memory`,
    );
  }
  const result = await undoCall(session, app, callId, options);
  if (session.asJson) session.terminal.json(result);
  else show(session, result);
}

async function undoLast(session: Session, app: App, options: UndoOptions): Promise<void> {
  const last = (await listOpen(session, app))[0];
  if (last === undefined) throw nothingToUndo(session);
  tell(session, last);
  await undoNamed(session, app, last.call.callId, options);
}

async function undoSession(session: Session, app: App, options: UndoOptions): Promise<void> {
  const open = await listOpen(session, app);
  const id = typeof options.session === "string" ? options.session : open[0]?.call.session;
  const calls = open.filter(({ call }) => id !== undefined && call.session === id);
  if (calls.length === 0) {
    throw typeof options.session !== "string" && open.length > 0
      ? new CliError(
          "CLI_NOT_FOUND",
          "Cannot undo a session: the latest call was made in none; `haft undo --last` undoes that call",
        )
      : nothingToUndo(session);
  }
  for (const one of calls) tell(session, one);
  await confirm(session, {
    about: `Session ${String(id)}: ${calls.length === 1 ? "1 call" : `${calls.length} calls`}`,
    message: "Undo these, the latest first?",
    action: "undo a session",
    yes: options.yes === true,
  });
  await undoEach(session, app, calls, options);
}

/** Undoes calls in their order until one can't be undone, and says which, and which are left. */
async function undoEach(
  session: Session,
  app: App,
  calls: readonly ChangedFiles[],
  options: UndoOptions,
): Promise<void> {
  const results: ToolResult[] = [];
  for (const { call } of calls) {
    const result = await undoCall(session, app, call.callId, options);
    results.push(result);
    if (!session.asJson) show(session, result);
    if (!result.success) break;
  }
  const { terminal } = session;
  const undone = results.filter(({ success }) => success).length;
  const left = calls.slice(undone);
  if (session.asJson) terminal.json(calls.map(({ call }, at) => toStep(call.callId, results[at])));
  terminal.err(`${undone} of ${calls.length} calls undone\n`);
  const [stopped, ...rest] = left;
  if (stopped === undefined) return;
  terminal.err(`Stopped at ${stopped.call.callId}, which can't be undone\n`);
  if (rest.length > 0) {
    terminal.err("Not tried, since they came before it:\n");
    for (const one of rest) tell(session, one);
  }
  terminal.err(
    "Put right what is in the way and say `haft undo --session` again, or undo one of them by `haft undo CALL`\n",
  );
}

/** One call of a session as `--json` shows it. */
function toStep(callId: string, result: ToolResult | undefined) {
  if (result === undefined) return { callId, state: "not tried" };
  return { callId, state: result.success ? "undone" : "failed", result };
}

/** The calls for this folder that changed files and were not undone, newest first, without undos themselves. */
async function listOpen(session: Session, app: App): Promise<readonly ChangedFiles[]> {
  const calls = await listChangedFiles(app, { project: session.folder() });
  return calls.filter(({ undone, call }) => !undone && call.toolName !== undoTool);
}

function nothingToUndo(session: Session): CliError {
  return new CliError(
    "CLI_NOT_FOUND",
    `Cannot undo anything for "${session.folder()}": no call changed files there that was not undone already; \`haft undo --all\` lists the calls for every folder`,
  );
}

function tell({ terminal }: Session, { call }: ChangedFiles): void {
  terminal.err(
    `${call.callId}  ${terminal.foreignError(`${call.toolName} ${call.paramsText.slice(0, 200)}`)}\n`,
  );
}

async function undoCall(
  session: Session,
  app: App,
  callId: string,
  { yes }: UndoOptions,
): Promise<ToolResult> {
  const context = {
    ...app.context,
    origin: { channel: "cli" },
    signal: session.signal,
    ...(await approverFor(session, yes === true)),
  };
  const result = await app.executor.run(undoTool, { call_id: callId }, context);
  session.exitCode = result.success ? exitCodes.ok : toExitCode(result.code);
  return result;
}

function show(session: Session, result: ToolResult): void {
  const { terminal } = session;
  const restored = result.success && isRecord(result.result) ? result.result["restored"] : undefined;
  if (!Array.isArray(restored)) new CallDisplay(terminal).finish(result);
  else terminal.out(restored.map((path) => `put back ${terminal.foreign(String(path))}\n`).join(""));
  const alongside = result.success && isRecord(result.result) ? result.result["alongside"] : undefined;
  if (Array.isArray(alongside))
    terminal.out(`with what ran there at the same time: ${terminal.foreign(alongside.join(", "))}\n`);
}
