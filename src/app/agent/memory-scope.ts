import { type CallContext, defaultAgent } from "../../kernel/index.ts";
import { findMemoryScope } from "../../modules/memory/index.ts";
import type { Agents } from "../availability/agents.ts";
import { AgentSetupError } from "../errors.ts";

/** The agent in whose name the calls of its runs are made; undefined if nothing is written down of it. */
export function findCaller(agents: Pick<Agents, "isKnown">, agentId: string): string | undefined {
  return agentId !== defaultAgent || agents.isKnown(agentId) ? agentId : undefined;
}

/**
 * Requires that an agent is the default one, or has a file or a configuration.
 *
 * @throws {AgentSetupError} AGENT_UNKNOWN
 */
export function requireAgent(agents: Pick<Agents, "isKnown" | "ids">, agentId: string): void {
  if (agentId === defaultAgent || agents.isKnown(agentId)) return;
  const known = agents.ids();
  throw new AgentSetupError(
    "AGENT_UNKNOWN",
    `Cannot run the agent "${agentId}": nothing is written down of it; ${known.length === 0 ? "name it in `agents` of haft.config.yml, or in agent/config.md" : `there are ${known.join(", ")}`}`,
  );
}

/** The scope of the memory that an agent of an installation works with. */
export function findAgentMemory(
  { agents, context }: { readonly agents: Pick<Agents, "isKnown">; readonly context: CallContext },
  agentId: string,
): string {
  const caller = findCaller(agents, agentId);
  return findMemoryScope({ scope: context.scope, ...(caller !== undefined && { agentId: caller }) });
}
