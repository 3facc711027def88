import { type Origin, ToolError } from "../../../kernel/index.ts";
import type { Task } from "../store/tasks.ts";

/** Who makes a call, and where. */
export interface Caller {
  readonly agentId?: string | undefined;
  readonly origin?: Origin | undefined;
}

/** Channels at whose other end a person sits. */
const personChannels: readonly string[] = ["cli", "console"];

/** Whether a person has to look at what was done before others go on with it. */
export function awaitsPerson({
  requiresApproval,
  verification,
}: Pick<Task, "requiresApproval" | "verification">): boolean {
  return requiresApproval || verification === "human";
}

/**
 * Refuses what only a person may do.
 *
 * @param refusal what can't be done, and how a person does it
 * @throws {ToolError} TOOL_BLOCKED
 */
export function requirePerson(tool: string, { agentId, origin }: Caller, refusal: string): void {
  if (agentId === undefined && personChannels.includes(origin?.channel ?? "")) return;
  throw new ToolError(tool, "TOOL_BLOCKED", refusal);
}
