import type { Task } from "../../../modules/tasks/index.ts";
import { refuseTools } from "../../asking/owner-only.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { callTaskTool, openTaskTools } from "../../tasks/call-task-tool.ts";
import { isEnded, resumeCall, type WorkedTask } from "../../tasks/choose-call.ts";
import { findWork, type OpenTasks, openTasks } from "../../tasks/open-tasks.ts";
import { runAgent } from "../run.ts";

export interface ResumeOptions {
  readonly yes?: boolean;
  readonly detach?: boolean;
  readonly steps?: number;
  readonly budget?: number;
}

/** Resumes an agent's work on a task, here or in a background process, and passes it the words. */
export async function resumeTask(
  session: Session,
  id: string,
  { words, ...options }: ResumeOptions & { readonly words: string },
): Promise<void> {
  await refuseTools("resume a task");
  const open = await openTasks(session);
  const work = await findWork(open, id);
  checkResumable(work, words);
  const { task } = work;
  if (words !== "" && !(await tellAgent(session, task, words, options))) return;
  const { run } = await findWork(open, task.id);
  if (run === undefined) throw refuseByHand(task);
  if (isDriven(run)) tellSteered(session, task);
  else await runAgent(session, "", { ...options, resume: run.id });
}

/** @throws {CliError} CLI_USAGE, CLI_BUSY */
function checkResumable({ task, run }: WorkedTask, words: string): void {
  if (run === undefined) throw refuseByHand(task);
  const { id } = task;
  if (words !== "") return;
  if (isEnded(run))
    throw new CliError(
      "CLI_USAGE",
      `Cannot resume "${id}" without a word: its run has ended; say what is next, as in \`haft tasks resume ${id} "…"\``,
    );
  if (isDriven(run))
    throw new CliError(
      "CLI_BUSY",
      `Cannot resume "${id}": it is under way; say what it is to know after its id`,
    );
}

/** False if the call was refused. */
async function tellAgent(
  session: Session,
  { id }: Task,
  words: string,
  { yes = false }: ResumeOptions,
): Promise<boolean> {
  const call = resumeCall(id, words);
  const { app }: OpenTasks = await openTaskTools(session, call.profile);
  return (await callTaskTool(session, app, call, { yes })) !== undefined;
}

function isDriven({ state, leaseUntil }: NonNullable<WorkedTask["run"]>): boolean {
  return state === "running" && (leaseUntil ?? 0) > Date.now();
}

function refuseByHand({ id, state }: Task): CliError {
  const isUntaken = state === "READY" || state === "DEFINED";
  const remedy = isUntaken
    ? `nobody has taken it yet; \`haft tasks show ${id}\` says what it waits for`
    : `no agent of haft works on it; \`haft tasks retry ${id}\` makes it ready to be taken`;
  return new CliError("CLI_USAGE", `Cannot resume "${id}": ${remedy}`);
}

function tellSteered({ terminal, asJson }: Session, { id }: Task): void {
  if (asJson) terminal.json({ id, told: true });
  else terminal.out(`${id} is under way, and its agent reads that at its next step\n`);
}
