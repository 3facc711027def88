import { setTimeout as delay } from "node:timers/promises";
import type { ApprovalStore } from "../store/index.ts";
import { chooseAnswer } from "./approval-choice.ts";
import { isAwaited } from "./approval-text.ts";
import { CliError } from "./errors.ts";
import { ownerIdentity } from "./owner-identity.ts";
import { requirePin } from "./owner-only.ts";
import type { Session } from "./session.ts";

const pollMs = 500;

/** Shows each question as it comes, those that a call waits for first, and asks for a key. Ends with Ctrl-C. */
export async function watchApprovals(session: Session, approvals: ApprovalStore): Promise<void> {
  const { terminal, signal } = session;
  if (!session.asJson && !terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      "Cannot watch for questions: there is no terminal to answer at; run it at one, or add --json to have them printed",
    );
  }
  if (!session.asJson) terminal.err("Waiting for questions; Ctrl-C ends\n");
  const seen = new Set<string>();
  while (!signal.aborted) {
    const waiting = await approvals.list({ state: "pending" });
    const unseen = waiting.filter(({ id }) => !seen.has(id));
    const next = unseen.findLast((one) => isAwaited(one, Date.now())) ?? unseen.at(-1);
    if (next === undefined)
      await delay(pollMs, undefined, { signal }).catch(() => {}); // Aborted: it ends.
    else {
      seen.add(next.id);
      if (session.asJson) terminal.jsonLine(next);
      else await askAbout(session, approvals, next.id);
    }
  }
}

async function askAbout(session: Session, approvals: ApprovalStore, id: string): Promise<void> {
  const { terminal } = session;
  const approval = await approvals.get(id);
  if (approval === undefined) return;
  const settled = new AbortController();
  const elsewhere = approvals
    .answered(id, AbortSignal.any([session.signal, settled.signal]))
    .then(
      ({ by }) => `answered by ${by}`,
      () => "over",
    )
    .finally(() => settled.abort());
  const by = ownerIdentity();
  const choice = await chooseAnswer(terminal, approval, {
    by,
    while: "session",
    canLeave: true,
    signal: settled.signal,
  });
  if (choice === "cancelled") {
    if (session.signal.aborted) return;
    if (settled.signal.aborted) terminal.err(`${id} is ${terminal.foreignError(await elsewhere)}\n`);
    else session.interrupt.cancel();
  } else if (choice !== "left") {
    try {
      if (choice.approved) await requirePin(session, "say yes");
      await approvals.answer(id, choice.approved ? { ...choice, shown: approval.digest } : choice);
    } catch (error) {
      session.note(error);
    }
  }
  settled.abort();
}
