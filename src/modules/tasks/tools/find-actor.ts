import type { ToolContext } from "../../../kernel/index.ts";

type Caller = Pick<ToolContext, "agentId" | "userId" | "origin">;

/** Says who makes a call, for the history of a task: the agent, else the person, else the program that calls. */
export function findActor({ agentId, userId, origin }: Caller): string | undefined {
  return agentId ?? userId ?? origin?.client?.name ?? origin?.channel;
}
