import { Option } from "commander";
import type { App } from "../../app/index.ts";
import { nearestNames } from "../../base/index.ts";
import { defaultAgent } from "../../kernel/index.ts";
import { CliError } from "../errors.ts";

/**
 * The option that says in whose name calls are made.
 *
 * @param without Who makes them without it.
 */
export function agentOption(what: string, without: string = "no agent"): Option {
  return new Option("--agent <id>", `${what} (default: ${without})`);
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

/** Like {@link checkAgent}, for an agent that is talked to: the main agent needs no file and no configuration. */
export async function checkSpeaker(app: App, id: string | undefined): Promise<void> {
  if (id !== defaultAgent) await checkAgent(app, id);
}

/** Says that only the lists of tools hold of an agent's file that nobody has trusted; nothing where that is not so. */
export function findUntrusted({ sources }: App, id: string = defaultAgent): readonly string[] {
  const { agentSource } = sources;
  const own = agentSource?.agents().find((agent) => agent.id === id);
  if (own === undefined || own.settings !== undefined) return [];
  const isWrong = agentSource?.problems().some(({ where, level }) => where === own.file && level === "error");
  return isWrong === true
    ? [`${own.file} is wrong: \`haft doctor\` says where`]
    : [
        `${own.file} is not trusted as it is, so only its lists of tools hold: \`haft trust\` shows it and takes your yes`,
      ];
}
