import { getErrorCode } from "../../base/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { promptStreams } from "./ask-yes.ts";

/**
 * Refuses an action that no tool may do, with or without `--yes`.
 *
 * @param action a verb phrase such as `work with memory`
 * @throws {CliError} CLI_UNCONFIRMED where a tool of haft started this process.
 */
export async function refuseTools(action: string): Promise<void> {
  const { isStartedByTool } = await import("../../host/index.ts");
  if (!isStartedByTool()) return;
  throw new CliError(
    "CLI_UNCONFIRMED",
    `Cannot ${action} here: a tool of haft started this process, and no tool answers for a person; run it at a terminal of your own`,
  );
}

/**
 * Refuses an action that only a person may do, with or without `--yes`.
 *
 * @throws {CliError} CLI_UNCONFIRMED where a tool, an agent, or a server of haft started this process.
 */
export async function refuseAgents(action: string): Promise<void> {
  await refuseTools(action);
  const { findAgentTrace } = await import("../../host/index.ts");
  const trace = findAgentTrace();
  if (trace === undefined) return;
  throw new CliError(
    "CLI_UNCONFIRMED",
    `Cannot ${action} here: ${trace}, and no agent answers for a person; the owner does it at a terminal that no agent started`,
  );
}

/**
 * Guards a change of policy: calls {@link refuseAgents} and asks for the owner's PIN if one is set.
 *
 * @throws {CliError} CLI_UNCONFIRMED
 * @throws {PinError} PIN_WRONG, PIN_LOCKED
 */
export async function requireOwner(session: Session, action: string): Promise<void> {
  await refuseAgents(action);
  await requirePin(session, action);
}

/** Asks for the owner's PIN if one is set; throws after three wrong entries. */
export async function requirePin(session: Session, action: string): Promise<void> {
  const [{ OwnerPin }, home] = await Promise.all([import("../../app/index.ts"), session.home()]);
  const pin = new OwnerPin(home);
  if (!pin.isSet) return;
  if (!session.terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      `Cannot ${action}: the owner's PIN is needed, and there is no terminal to type it at; run it at one`,
    );
  }
  for (let tries = 1; ; tries++) {
    try {
      return await pin.check(await askPin(session, tries === 1 ? "PIN" : "That is not the PIN; again"));
    } catch (error) {
      if (getErrorCode(error) !== "PIN_WRONG" || tries === mostTries) throw error;
    }
  }
}

const mostTries = 3;

/** Asks for a PIN without showing what is typed. */
export async function askPin(session: Session, message: string): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const streams = promptStreams(session.terminal);
  const typed = await password({ ...streams, message, mask: "", signal: session.signal });
  if (isCancel(typed)) throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nothing was changed");
  return typed ?? "";
}
