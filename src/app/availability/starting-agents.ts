import { isRecord } from "../../base/index.ts";
import type { CallContext, Hook, ToolLimits } from "../../kernel/index.ts";
import type { AgentFile } from "../../sources/index.ts";

/** The tools that start other agents, whoever brings them. */
const startingTools: readonly string[] = ["spawn_task"];

/** The lists that keep the agent of a file from starting others, unless the file says `canSpawn: true` and is accepted. */
export function limitStarting({ file, id, settings }: AgentFile): readonly ToolLimits[] {
  if (settings?.canSpawn === true) return [];
  const by = id === undefined ? `"${file}"` : `the agent "${id}"`;
  const remedy =
    settings === undefined
      ? `set "canSpawn: true" in "${file}", and accept the file with \`haft trust\``
      : `set "canSpawn: true" in "${file}"`;
  return [
    {
      by,
      place: `"${file}"`,
      blockedTools: startingTools,
      blocks: { why: `${by} may not start other agents`, remedy },
    },
  ];
}

/**
 * A hook that blocks the start of an agent that the caller's file does not name in `canInvokeAgents`.
 *
 * @param findFiles the files of an agent
 */
export function invocationHook(findFiles: (agentId: string) => readonly AgentFile[]): Hook {
  return {
    name: "canInvokeAgents",
    appliesTo: ({ name }) => startingTools.includes(name),
    before: ({ params, context }) => {
      const wanted = isRecord(params) ? params["agent"] : undefined;
      return typeof wanted === "string" ? findRefusal(wanted, context, findFiles) : undefined;
    },
  };
}

function findRefusal(
  wanted: string,
  { agentId }: Pick<CallContext, "agentId">,
  findFiles: (agentId: string) => readonly AgentFile[],
): { readonly block: string } | undefined {
  const files = agentId === undefined ? [] : findFiles(agentId);
  for (const { file, settings } of files) {
    const { canInvokeAgents = [] } = settings ?? {};
    if (canInvokeAgents.includes(wanted)) continue;
    const named = canInvokeAgents.length === 0 ? "no agent" : `only ${canInvokeAgents.join(", ")}`;
    return {
      block: `the agent "${agentId}" may start ${named}, and not "${wanted}"; add it to canInvokeAgents in "${file}"`,
    };
  }
  return undefined;
}
