import type { ToolContext } from "../../../kernel/index.ts";

type Caller = Pick<ToolContext, "agentId" | "userId" | "origin">;

/** Says who makes a call, for the history of a task: the agent, else the person, else the program that calls. */
export function findActor({ agentId, userId, origin }: Caller): string | undefined {
  return agentId ?? userId ?? origin?.client?.name ?? origin?.channel;
}

/** Says in words who makes a call, for the reason of a change: `in the console`, `by the agent ada`, `by claude-code`. */
export function describeActor(caller: Caller): string {
  if (caller.agentId !== undefined) return `by the agent ${caller.agentId}`;
  const channel = caller.origin?.channel;
  if (channel === "console") return "in the console";
  if (channel === "cli") return "at the command line";
  return `by ${findActor(caller) ?? "a program"}`;
}
