import type { TaskView } from "../../../app/views/index.ts";
import { isRecord, oneLine } from "../../../base/index.ts";
import type { TaskType, Verification } from "../../../modules/tasks/index.ts";
import { readAll } from "../../calls/stdin-text.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { callTaskTool, openTaskTools } from "../../tasks/call-task-tool.ts";
import { requireTask, viewTasks } from "../../tasks/open-tasks.ts";
import { describeStanding } from "../../tasks/task-words.ts";
import { wrapText } from "../../text/display-width.ts";

export interface AddOptions {
  readonly project?: string;
  readonly priority?: number;
  readonly dependsOn?: readonly string[];
  readonly partOf?: string;
  readonly kind?: TaskType;
  readonly verifiedBy?: Verification;
  readonly approval?: boolean;
  readonly retries?: number;
  readonly yes?: boolean;
}

/** Makes a task by hand. Its first line is the title; all of it, with standard input, is the description. */
export async function addTask(session: Session, words: string, options: AddOptions): Promise<void> {
  const text = await readText(session, words);
  const [line = ""] = text.split("\n");
  const open = await openTaskTools(session, "queue");
  session.warn(open.app.loaded.warnings);
  const { dependsOn = [], partOf } = options;
  for (const id of partOf === undefined ? dependsOn : [...dependsOn, partOf]) await requireTask(open, id);
  const made = await callTaskTool(
    session,
    open.app,
    { tool: "create_task", params: toParams(line.trim(), text, options) },
    { yes: options.yes === true },
  );
  if (made === undefined) return;
  const id = readId(made.result);
  const now = Date.now();
  const [view] = await viewTasks(open, [await open.store.tasks.require(open.scope, id)], now);
  tell(session, view as TaskView, now);
}

const mostTitleChars = 200;

function toParams(
  line: string,
  text: string,
  { project, priority, dependsOn, partOf, kind, verifiedBy, approval, retries }: AddOptions,
): Readonly<Record<string, unknown>> {
  const title = line.length <= mostTitleChars ? line : `${line.slice(0, mostTitleChars - 1)}…`;
  return {
    title,
    ...(text !== title && { description: text }),
    ...(project !== undefined && { project_id: project }),
    ...(priority !== undefined && { priority }),
    ...(dependsOn !== undefined && { depends_on: dependsOn }),
    ...(partOf !== undefined && { parent_task_id: partOf }),
    ...(kind !== undefined && { task_type: kind }),
    ...(verifiedBy !== undefined && { verification_type: verifiedBy }),
    ...(approval === true && { requires_approval: true }),
    ...(retries !== undefined && { max_retries: retries }),
  };
}

function readId(result: unknown): string {
  const id = isRecord(result) ? result["created"] : undefined;
  if (typeof id === "string") return id;
  throw new TypeError("The result of create_task has no id");
}

/** What was typed, followed by standard input. */
async function readText({ terminal, signal }: Session, words: string): Promise<string> {
  const { stdin } = terminal.streams;
  const piped = stdin.isTTY === true ? "" : await readAll(stdin, signal);
  const text = [words, piped]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
  if (text !== "") return text;
  throw new CliError(
    "CLI_USAGE",
    'Cannot make a task of nothing: say what is to be done, as in `haft tasks add "Fix the parser"`',
  );
}

function tell({ terminal, asJson }: Session, view: TaskView, now: number): void {
  if (asJson) {
    terminal.json(view);
    return;
  }
  // The id alone, so that a script can take it.
  terminal.out(`${view.id}\n`);
  const standing = terminal.foreignError(oneLine(describeStanding(view, now)));
  const sentence = `${standing}, in the project ${terminal.foreignError(view.projectId)}; \`haft tasks show ${view.id}\` says how it goes`;
  terminal.err(`${wrapText(sentence, terminal.errorWidth).join("\n")}\n`);
}
