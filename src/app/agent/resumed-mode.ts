import type { Mode } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { AgentSetupError } from "../errors.ts";
import { readSettings } from "./turn-settings.ts";

/** The modes that allow no more than each mode does, which is among them. */
const tighter: Readonly<Record<Mode, readonly Mode[]>> = {
  plan: ["plan"],
  locked: ["locked"],
  ask: ["ask", "plan", "locked"],
  auto: ["auto", "ask", "plan", "locked"],
};

/**
 * Requires that a mode lets a resumed run do no more than the mode that it was begun in. A run that was begun in none takes
 * any: it goes by the mode of the process that drives it.
 *
 * @throws {AgentSetupError} AGENT_MODE
 */
export function requireTighter(run: Run, mode: Mode): void {
  const { mode: own } = readSettings(run);
  if (own === undefined || tighter[own].includes(mode)) return;
  const others = tighter[own].map((one) => `\`--mode ${one}\``).join(" or ");
  throw new AgentSetupError(
    "AGENT_MODE",
    `Cannot go on with the run "${run.id}" in mode ${mode}: it was begun in mode ${own}, which allows less; leave --mode out, or take ${others}. Something new said to the session "${run.sessionId}" may be done in mode ${mode}`,
    { details: { mode: own, sessionId: run.sessionId } },
  );
}

/**
 * Chooses the mode of a task that goes on for another run: its own, if that lets it do no more than the run may.
 *
 * @param by the mode of the run, and that of its process, by which a run of no mode goes
 */
export function limitMode(
  own: Mode | undefined,
  by: { readonly run: Mode | undefined; readonly process: Mode },
): Mode | undefined {
  return own !== undefined && tighter[by.run ?? by.process].includes(own) ? own : by.run;
}
