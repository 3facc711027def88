import type { ToolLimits } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import type { AgentFile } from "../../sources/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { readTaskLimits } from "./task-settings.ts";

/** What an agent needs to give work to others. */
const starting: readonly string[] = ["spawn_task", "resume_task", "task_wait", "task_stop"];
/** What is the main agent's alone: people, its own past, the owner's secrets. */
const mainOnly: readonly string[] = ["reply", "send_message", "session_archive_read", "secret_*"];

/**
 * What a task may not call, beside what its agent's own lists and the rules forbid: a task has the tools of the collection
 * `allTaskTools`, under the names of the profile, and those that the user brought. The limits bind: the gate refuses a
 * call of any other tool. A task starts tasks of its own only if the file of its agent says `canSpawn: true`, and only so
 * deep.
 */
export function limitTask(
  { kind, depth }: Pick<Run, "kind" | "depth">,
  agent: AgentFile | undefined,
  config: HaftConfig,
): readonly ToolLimits[] {
  if (kind !== "task") return none;
  const { maxDepth } = readTaskLimits(config);
  const isMainOnly: ToolLimits = {
    by: "a background task",
    blockedTools: mainOnly,
    blocks: {
      why: "it is only for the agent that people talk to",
      remedy: "say what is needed in the text of the answer",
    },
  };
  if (agent?.settings?.canSpawn === true && depth < maxDepth) return [isMainOnly];
  const isTooDeep = agent?.settings?.canSpawn === true;
  return [
    isMainOnly,
    {
      by: "a background task",
      blockedTools: starting,
      blocks: {
        why: isTooDeep
          ? `tasks may be nested ${maxDepth} deep`
          : "a background task may not start other tasks",
        remedy: isTooDeep
          ? "raise agent.tasks.maxDepth, or let the task above split the work"
          : 'set "canSpawn: true" in the file of its agent',
      },
    },
  ];
}

const none: readonly ToolLimits[] = [];
