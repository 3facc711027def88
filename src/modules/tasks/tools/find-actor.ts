import { oneLine, showInvisible } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";

type Caller = Pick<ToolContext, "agentId" | "userId" | "origin">;

/** Says who makes a call, for the history of a task: the agent, else the person, else the program that calls. */
export function findActor({ agentId, userId, origin }: Caller): string | undefined {
  return agentId ?? userId ?? origin?.client?.name ?? origin?.channel;
}

/**
 * Says in words who makes a call, for the reason of a change: `in the console`, `by the agent ada`, `by "claude-code"`. A
 * program chooses its name itself, so the name is quoted: whoever reads the reason sees where the name ends.
 */
export function describeActor({ agentId, userId, origin }: Caller): string {
  if (agentId !== undefined) return `by the agent ${agentId}`;
  const { channel, client } = origin ?? {};
  if (channel === "console") return "in the console";
  if (channel === "cli") return "at the command line";
  if (userId === undefined && client !== undefined)
    return `by ${JSON.stringify(showInvisible(oneLine(client.name)))}`;
  return `by ${userId ?? channel ?? "a program"}`;
}
