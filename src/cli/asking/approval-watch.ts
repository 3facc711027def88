import { setTimeout as delay } from "node:timers/promises";
import { showInvisible } from "../../base/index.ts";
import { describeEffects } from "../../kernel/index.ts";
import type { ApprovalStore, ListedApproval } from "../../modules/approvals/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { isAwaited } from "../text/approval.ts";
import { chooseAnswer } from "./approval-choice.ts";
import { ownerIdentity } from "./owner-identity.ts";
import { requirePin } from "./owner-only.ts";

const pollMs = 500;

export interface WatchOptions {
  /** Show each question on the desktop too. */
  readonly notify: boolean;
}

/** Shows each question as it comes, those that a call waits for first, and asks for a key. Ends with Ctrl-C. */
export async function watchApprovals(
  session: Session,
  approvals: ApprovalStore,
  { notify }: WatchOptions,
): Promise<void> {
  const { terminal } = session;
  if (!session.asJson && !terminal.interactive) {
    throw new CliError(
      "CLI_UNCONFIRMED",
      "Cannot watch for questions: there is no terminal to answer at; run it at one, or add --json to have them printed",
    );
  }
  if (!session.asJson) terminal.err("Waiting for questions; Ctrl-C ends\n");
  // A program that prints questions answers none: calls wait for people alone.
  const end = session.asJson
    ? undefined
    : await approvals.watch({ kind: "terminal", identity: ownerIdentity() });
  const herald = new Herald(session, notify);
  try {
    await showQuestions(session, approvals, herald);
  } finally {
    await end?.();
  }
}

async function showQuestions(session: Session, approvals: ApprovalStore, herald: Herald): Promise<void> {
  const { terminal, signal } = session;
  const seen = new Set<string>();
  while (!signal.aborted) {
    const waiting = await approvals.list({ state: "pending" });
    const unseen = waiting.filter(({ id }) => !seen.has(id));
    const next = unseen.findLast((one) => isAwaited(one, Date.now())) ?? unseen.at(-1);
    if (next === undefined)
      await delay(pollMs, undefined, { signal }).catch(() => {}); // Aborted: it ends.
    else {
      seen.add(next.id);
      await herald.announce(next);
      if (session.asJson) terminal.jsonLine(next);
      else await askAbout(session, approvals, next.id);
    }
  }
}

/** Has people look at a question: a bell where there is a terminal, and a notification if it is wanted. */
class Herald {
  readonly #session: Session;
  #notifies: boolean;

  constructor(session: Session, notify: boolean) {
    this.#session = session;
    this.#notifies = notify;
  }

  async announce({ toolName, effects, id }: ListedApproval): Promise<void> {
    const { terminal, asJson } = this.#session;
    if (!asJson) terminal.err("\u0007");
    if (!this.#notifies) return;
    const { notifyDesktop } = await import("../../host/index.ts");
    const text = showInvisible(`${toolName} asks to ${describeEffects(effects)} (${id})`).slice(0, 500);
    if (await notifyDesktop("haft waits for your answer", text)) return;
    this.#notifies = false;
    terminal.err(
      "No notification could be shown on the desktop (notify-send or osascript); the bell rings\n",
    );
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
