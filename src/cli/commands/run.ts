import type { Command } from "commander";
import type { AgentEvent, RunEnd } from "../../agent/index.ts";
import type { App, NewTurn } from "../../app/index.ts";
import { CodedError, getErrorCode, getErrorMessage } from "../../base/index.ts";
import { defaultAgent, type Trust } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { approverFor } from "../asking/terminal-approver.ts";
import { readPiped } from "../calls/piped-text.ts";
import { describeElsewhere } from "../chat/conversations.ts";
import { checkDetachable, leaveInBackground } from "../chat/detach-run.ts";
import { driveTurn, toRunExitCode } from "../chat/drive-turn.ts";
import { describeWayOn, driveWithinBudget } from "../chat/raise-budget.ts";
import { RunDisplay } from "../chat/run-display.ts";
import { readModelName } from "../chat/run-state.ts";
import { askInTurn, describeLeft, driveWithTasks, openTaskDriver } from "../chat/task-turns.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodes, toExitCode } from "../exit-codes.ts";
import { agentOption, checkSpeaker, findUntrusted } from "../options/agent.ts";
import { toDollars } from "../options/dollars.ts";
import { modeOverride } from "../options/mode.ts";
import { type Overrides, pickOverrides } from "../options/overrides.ts";
import { profileOverride } from "../options/profile.ts";
import { toNumber } from "../options/whole-number.ts";
import type { Session } from "../session.ts";

/** The options of `haft run`. */
export interface RunOptions extends Overrides {
  readonly agent?: string;
  readonly model?: string;
  readonly resume?: string;
  readonly steps?: number;
  readonly budget?: number;
  readonly with?: readonly string[];
  readonly yes?: boolean;
  readonly detach?: boolean;
  /** Whether piped standard input is added to the text. @default false */
  readonly takesPipe?: boolean;
}

export function defineRun(command: Command, session: Session): void {
  command
    .argument("[text...]", "what to do; piped standard input is added to it")
    .addOption(agentOption("the agent to run; its file says what it may do", defaultAgent))
    .option("--model <name>", "the model to ask, by its name in the configuration (default: agent.model)")
    .option(
      "--resume <id>",
      "go on with a session, or with a run that paused or was interrupted: `haft sessions` lists them",
    )
    .option("--steps <n>", "the most steps (default: the agent's, or 100)", toNumber(1, 10_000))
    .option(
      "--budget <usd>",
      "the most that the run may cost, in US dollars (default: agent.budget.run)",
      toDollars,
    )
    .option(
      "-w, --with <path>",
      "a file or picture to begin with, read as `haft call read` does; as often as you like",
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option(
      "--detach",
      "leave it to the haft that works in the background for this folder, and print the run's id",
    )
    .option("-y, --yes", "answer yes to every question about its calls; rules that deny still deny")
    .addOption(profileOverride())
    .addOption(modeOverride())
    .action(async (words: readonly string[], options: RunOptions) => {
      await runAgent(session, words.join(" "), { ...options, takesPipe: true });
    });
  addExamples(command, [
    ['haft run "Which tests are slow, and why?"', "answer a question"],
    ['git diff | haft run "Review this change"', "standard input comes after the text"],
    ['haft run "What is wrong here?" --with error.png', "with a picture"],
    ["haft run --resume run_4k2…", "go on where it was paused, parked or killed"],
    [
      'haft run --detach "Tidy up the notes"',
      "in the background: `haft serve` does it, `haft approvals` asks",
    ],
    ['haft run --json "Say hello" | jq -c .type', "one event a line"],
  ]);
  command.addHelpText(
    "after",
    "\nThe answer goes to standard output, all else to standard error.\nCtrl-C interrupts: what runs is ended; --resume goes on with it, or with what you say next.\nWith --detach, or once its model can be asked again, a `haft serve` of this folder goes on with it.\nLeaves with 0 when done, 8 paused or parked, 1 failed, 130 interrupted, 78 without a model that can be used;\n`haft help exit-codes` lists all. `haft models` lists the models.\nWith --json each line is an event, and the last one is run.ended: docs/guide/terminal.md has their types.",
  );
}

/** Drives a run at this terminal, a new one or one that goes on, and shows it. */
export async function runAgent(session: Session, words: string, options: RunOptions): Promise<void> {
  const { terminal } = session;
  try {
    await runTurn(session, words, options);
  } catch (thrown) {
    if (!session.asJson) throw thrown;
    // The last line of events is always the end of the run.
    const code = getErrorCode(thrown) ?? "INTERNAL";
    const end: RunEnd = { state: "failed", code, text: getErrorMessage(thrown) };
    terminal.jsonLine({ type: "run.ended", end } satisfies AgentEvent);
    terminal.err(`haft: ${terminal.foreignError(end.text)} [${code}]\n`);
    session.exitCode = thrown instanceof CodedError ? toExitCode(code) : exitCodes.internal;
  }
}

async function runTurn(session: Session, words: string, options: RunOptions): Promise<void> {
  const { terminal } = session;
  const app = await session.openApp({ ...pickOverrides(options), sources: "once" });
  session.warn(app.loaded.warnings);
  await checkSpeaker(app, options.agent);
  session.warn(findUntrusted(app, options.agent));
  if (options.detach === true) checkDetachable(options);
  const { approver } = await approverFor(session, options.yes === true);
  const text = await readTask(session, words, options);
  const turn = await openTurn(session, app, text, options);
  if (options.detach === true) return leaveInBackground(session, app, turn);
  const display = session.asJson ? undefined : new RunDisplay(terminal);
  const asked = approver && askInTurn(display?.lendTo(approver) ?? approver);
  const tasks = await openTaskDriver(session, app, asked === undefined ? {} : { approver: asked });
  try {
    const drive = (run: Run) => {
      if (display !== undefined) display.model = readModelName(run);
      return driveTurn({
        app,
        run,
        signal: session.signal,
        emit: display?.show ?? ((event) => terminal.jsonLine(event)),
        // Its question stays open for whoever can be asked.
        inBackground: run.state === "parked" && approver === undefined,
        ...(asked !== undefined && { approver: asked }),
      });
    };
    const driveTurns = (run: Run) =>
      driveWithinBudget(session, {
        app,
        run,
        signal: session.signal,
        drive,
        lend: (ask) => {
          display?.stop();
          return ask();
        },
      });
    const { run: last, end } = await driveWithTasks(tasks, turn, {
      drive: driveTurns,
      signal: session.signal,
    });
    const resume = `haft run --resume ${last.id}`;
    display?.finish(end, {
      resume,
      next: `${resume} goes on, or with what you say next: ${resume} "…"`,
      wayOn: describeWayOn(end, { resume, runId: last.id }),
    });
    await tasks.close();
    const left = await describeLeft(tasks, last.sessionId, "haft run --resume");
    if (left !== undefined) session.warn([left]);
    session.exitCode = toRunExitCode(end);
  } finally {
    display?.stop();
    await tasks.close();
  }
}

/** The text of the command line, followed by standard input. */
async function readTask(
  session: Session,
  words: string,
  { resume, with: files = [], takesPipe = false }: RunOptions,
): Promise<string> {
  const piped = takesPipe ? (await readPiped(session.terminal, { signal: session.signal })).trim() : "";
  const text = [words.trim(), piped].filter((part) => part !== "").join("\n\n");
  if (text === "" && resume === undefined && files.length === 0)
    throw new CliError("CLI_USAGE", 'Cannot begin: say what to do, as in `haft run "Which tests are slow?"`');
  return text;
}

/** The run of a new message, or one that goes on. */
async function openTurn(session: Session, app: App, text: string, options: RunOptions): Promise<Run> {
  const host = await app.agent();
  const { resume, agent, model, steps, budget, mode, detach } = options;
  const { worstTrust } = await import("../../app/index.ts");
  const files = await readFiles(app, options.with ?? []);
  const parts = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...files.flatMap((file) => file.parts),
  ];
  const chosen = {
    channel: "terminal",
    trust: worstTrust(files.map((file) => file.trust)),
    ...(agent !== undefined && { agentId: agent }),
    ...(model !== undefined && { model }),
    ...(steps !== undefined && { maxSteps: steps }),
    ...(budget !== undefined && { usd: budget }),
    ...(mode !== undefined && { mode }),
    inBackground: detach === true,
  };
  const begin = async (place: { readonly sessionId?: string } = {}) => {
    const run = await host.begin({ ...chosen, ...place, parts });
    if (parts.some(({ type }) => type === "image")) await warnOfPictures(session, app, run);
    return run;
  };
  if (resume === undefined) return begin();
  const { run, sessionId } = await host.find(resume);
  const elsewhere = describeElsewhere(await host.findFolder(sessionId), app.folder);
  if (parts.length > 0 && elsewhere !== undefined) session.warn([elsewhere]);
  if (parts.length > 0) return begin({ sessionId });
  const goesOn =
    run === undefined
      ? undefined
      : await host.resume(run.id, {
          ...(steps !== undefined && { more: steps }),
          ...(budget !== undefined && { usd: budget }),
          ...(model !== undefined && { model }),
          ...(mode !== undefined && { mode }),
        });
  if (goesOn !== undefined) {
    if (detach === true) await host.queue(goesOn);
    return goesOn;
  }
  throw new CliError(
    "CLI_USAGE",
    `Cannot go on with "${resume}" without a word: it has ended; say what is next, as in \`haft run --resume ${resume} "…"\``,
  );
}

/** Says that the model is not shown the pictures, if it takes none: the model itself is told so in their place. */
async function warnOfPictures(session: Session, { models }: App, run: Run): Promise<void> {
  const model = readModelName(run);
  const found = (await models.list()).find(({ name }) => name === model);
  if (found?.facts.images === false)
    session.warn([
      `the model "${found.name}" is not shown the picture: it is not known to take any; \`images: true\` in its configuration has them sent`,
    ]);
}

/** A file as parts of a message. */
interface ReadFile extends Pick<NewTurn, "parts"> {
  readonly trust: Trust;
}

/** Files are read through the gate, like by any other call. */
async function readFiles(app: App, paths: readonly string[]): Promise<readonly ReadFile[]> {
  const { formatAttached } = await import("../../app/index.ts");
  const read = paths.map(async (path): Promise<ReadFile> => {
    const result = await app.executor.run("read", { path }, { ...app.context, origin: { channel: "cli" } });
    if (!result.success) throw new CliError("CLI_INPUT", result.error);
    const pictures = (result.content ?? []).flatMap((block) =>
      block.type === "image" ? [{ type: "image" as const, mimeType: block.mimeType, data: block.data }] : [],
    );
    const text = formatAttached({ name: path, text: result.text });
    return { trust: result.trust, parts: [{ type: "text", text }, ...pictures] };
  });
  return Promise.all(read);
}
