import type { CallContext } from "../../kernel/index.ts";
import { findMemoryScope } from "../../modules/memory/index.ts";
import type { Agents } from "../availability/agents.ts";

/** The agent of a session that names none. Without a file or a configuration of its own it acts in nobody's name. */
export const defaultAgent = "main";

/** The agent in whose name the calls of its runs are made; undefined if nothing is written down of it. */
export function findCaller(agents: Pick<Agents, "isKnown">, agentId: string): string | undefined {
  return agentId !== defaultAgent || agents.isKnown(agentId) ? agentId : undefined;
}

/** The scope of the memory that an agent of an installation works with. */
export function findAgentMemory(
  { agents, context }: { readonly agents: Pick<Agents, "isKnown">; readonly context: CallContext },
  agentId: string,
): string {
  const caller = findCaller(agents, agentId);
  return findMemoryScope({ scope: context.scope, ...(caller !== undefined && { agentId: caller }) });
}
