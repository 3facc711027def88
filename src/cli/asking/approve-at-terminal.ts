import { randomInt } from "node:crypto";
import { showInvisible } from "../../base/index.ts";
import type { ApprovalAnswer } from "../../kernel/index.ts";
import type { ApprovalStore, KeptApproval } from "../../modules/approvals/index.ts";
import { settleInput } from "../calls/settle-input.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { describeStanding, renderApproval } from "../text/approval.ts";
import { promptStreams } from "./ask-yes.ts";
import { requirePin } from "./owner-only.ts";

/** Characters of the code, none of which looks like another. */
const codeCharacters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const codeLength = 4;

type Yes = Extract<ApprovalAnswer, { approved: true }>;

/**
 * Gives a yes that was asked for on the command line: shows the question, and has the person type back a code that is
 * shown with it. Returns the question.
 *
 * @param runId The parked run that waits for the answer. @default none
 *
 * @throws {CliError} CLI_UNCONFIRMED where there is no terminal, or something else is typed
 */
export async function approveAtTerminal(
  session: Session,
  approvals: ApprovalStore,
  id: string,
  answer: Yes,
  runId?: string,
): Promise<KeptApproval | undefined> {
  const { terminal } = session;
  const asked = await approvals.get(id);
  if (asked?.state !== "pending") {
    // It can't be answered any more: the store says why, and a no could not pass for a yes.
    await approvals.answer(id, { approved: false, by: answer.by });
    return asked;
  }
  if (!terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      `Cannot approve the question "${id}": a yes is given by a person at a terminal, and there is none here; open one, or let a rule of the configuration allow what needs no person`,
    );
  }
  const paint = terminal.paintError.bind(terminal);
  const standing = describeStanding(asked, Date.now(), runId);
  terminal.err(renderApproval(asked, { width: terminal.errorWidth, paint, standing }));
  if (answer.remember !== undefined) terminal.err(`  ${rememberLine(asked, answer.remember.offer)}\n\n`);
  await typeCode(session);
  await requirePin(session, "say yes");
  await approvals.answer(id, { ...answer, shown: asked.digest });
  return asked;
}

function rememberLine({ offers }: KeptApproval, wanted: string): string {
  const label = offers.find((offer) => offer.id === wanted)?.label ?? wanted;
  return `The yes is to be remembered: ${showInvisible(label)}`;
}

async function typeCode(session: Session): Promise<void> {
  const { isCancel, text } = await import("@clack/prompts");
  const code = Array.from(
    { length: codeLength },
    () => codeCharacters[randomInt(codeCharacters.length)],
  ).join("");
  const { signal, terminal } = session;
  const left = new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; the question is still open");
  if (!(await settleInput(terminal, { signal }))) throw left;
  const typed = await text({ ...promptStreams(terminal), message: `Type ${code} to say yes`, signal });
  if (isCancel(typed)) throw left;
  if (typed?.trim().toUpperCase() === code) return;
  throw new CliError(
    "CLI_UNCONFIRMED",
    `Did not say yes: "${typed ?? ""}" is not the code ${code}; try again`,
  );
}
