import { type Command, InvalidArgumentError, Option } from "commander";
import { type TaskQuery, type TaskState, taskStates } from "../../modules/tasks/index.ts";
import { repeatable } from "../options/repeatable.ts";

/** Options that choose tasks. */
export interface SelectionOptions {
  readonly state?: readonly TaskState[];
  readonly project?: string;
  readonly all?: boolean;
  readonly archived?: boolean;
}

/** Adds the options that choose tasks. */
export function addSelection(command: Command): void {
  command
    .addOption(
      repeatable(
        "--state <state>",
        `only in this state: ${taskStates.map(formatState).join(", ")} (repeatable)`,
      ).argParser(toStates),
    )
    .addOption(projectOption("only of this project"))
    .option("--all", "completed ones, too")
    .option("--archived", "those in the archive, and no others");
}

export function projectOption(description: string): Option {
  return new Option("--project <id>", description);
}

export function toQuery(
  scope: string,
  { state, project, all, archived }: SelectionOptions,
): Omit<TaskQuery, "limit" | "cursor"> {
  const isOpenOnly = state === undefined && all !== true && archived !== true;
  return {
    scope,
    ...(project !== undefined && { projectId: project }),
    ...(state !== undefined && { states: state }),
    ...(isOpenOnly && { notStates: ["COMPLETED"] }),
    ...(archived === true && { archived }),
  };
}

/** A state as the command line has it: `in-progress`. */
function formatState(state: TaskState): string {
  return state.toLowerCase().replaceAll("_", "-");
}

function toStates(value: string, before: readonly TaskState[] | undefined): readonly TaskState[] {
  const name = value.toUpperCase().replaceAll("-", "_");
  const state = taskStates.find((one) => one === name);
  if (state === undefined)
    throw new InvalidArgumentError(`Allowed choices are ${taskStates.map(formatState).join(", ")}.`);
  return [...(before ?? []), state];
}
