import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { askPin, requireOwner } from "./owner-only.ts";

/** `haft approvals pin`: sets the owner's PIN or, where there is one, changes or removes it after that one was typed. */
export async function changePin(session: Session, remove: boolean): Promise<void> {
  const [{ OwnerPin }, home] = await Promise.all([import("../../app/index.ts"), session.home()]);
  const pin = new OwnerPin(home);
  const action = remove ? "remove the PIN" : "set a PIN";
  await requireOwner(session, action);
  if (!session.terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      `Cannot ${action}: there is no terminal to type it at; run it at one`,
    );
  }
  if (remove) {
    if (!pin.isSet) throw new CliError("CLI_NOT_FOUND", "Cannot remove the PIN: none is set");
    pin.remove();
    return tell(session, false);
  }
  const chosen = await askPin(session, "New PIN");
  if ((await askPin(session, "The same again")) !== chosen)
    throw new CliError("CLI_UNCONFIRMED", "Did not set the PIN: the two were not the same; try again");
  await pin.set(chosen);
  tell(session, true);
}

function tell({ terminal, asJson }: Session, set: boolean): void {
  if (asJson) terminal.json({ pin: set });
  else if (set)
    terminal.out(
      "The PIN is set: it is asked for each yes, and each change of trust, grants, secrets and servers\n",
    );
  else terminal.out("The PIN is removed\n");
}
