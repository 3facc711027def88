import { Option } from "commander";
import type { App } from "../../app/index.ts";
import { nearestNames } from "../../base/index.ts";
import { CliError } from "../errors.ts";

/** The option that says in whose name calls are made. */
export function agentOption(what: string): Option {
  return new Option("--agent <id>", `${what} (default: no agent)`);
}

/**
 * A name that nothing is written down of would have every tool: it is a slip.
 *
 * @param place where it is named, if not by an option
 */
export async function checkAgent(
  { agents, sources }: App,
  id: string | undefined,
  place?: string,
): Promise<void> {
  if (id === undefined) return;
  await sources.ready();
  const known = agents.ids();
  if (agents.isKnown(id)) return;
  const nearest = nearestNames(id, known);
  const hint =
    nearest.length > 0
      ? `did you mean ${nearest.join(" or ")}`
      : known.length > 0
        ? `there are ${known.join(", ")}`
        : "name it in `agents` of haft.config.yml, or in agent/config.md";
  const named = place === undefined ? "" : `, which ${place} names`;
  throw new CliError("CLI_NOT_FOUND", `Cannot find an agent "${id}"${named}; ${hint}`, {
    details: { nearest },
  });
}
