import { showInvisible } from "../../base/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { askYes } from "./ask-yes.ts";

export interface Question {
  /** Printed before the question. */
  readonly about?: string;
  /** The question, short: `Trust this folder?` */
  readonly message: string;
  /** What could not be done without one, for the fault: `trust "/folder"`. */
  readonly action: string;
  /** `--yes` was given. */
  readonly yes: boolean;
}

/** Shows what a question is about: as a result, with `--json` on standard error, since nobody says yes to what they can't see. */
export function showSubject({ asJson, terminal }: Session, text: string): void {
  if (!asJson) terminal.out(text);
  else if (terminal.interactive) terminal.err(text);
}

/**
 * Goes on after a yes of the person at the terminal, or `--yes`.
 *
 * @throws {CliError} CLI_UNCONFIRMED for a no, or where nobody can be asked.
 */
export async function confirm(session: Session, question: Question): Promise<void> {
  if (question.yes) return;
  if (!session.terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      `Cannot ${question.action}: there is nobody to ask here; add --yes`,
    );
  }
  // Something to read stands there before a key counts.
  session.terminal.err(`${showInvisible(question.about ?? `Asked to ${question.action}`)}\n`);
  const answer = await askYes(session.terminal, question.message, { signal: session.signal });
  if (answer === undefined) throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nothing was changed");
  if (!answer) throw new CliError("CLI_UNCONFIRMED", `Did not ${question.action}: you said no`);
}
