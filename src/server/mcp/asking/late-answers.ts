import { getErrorCode } from "../../../base/index.ts";
import { type ApprovalAnswer, describeEffects } from "../../../kernel/index.ts";
import type { Call, Method } from "../calls/call.ts";
import { toRefusal } from "../calls/content.ts";
import { formatIdentity } from "../client.ts";
import type { ServerCore } from "../core.ts";
import type { AskedApprovals } from "../messages/handle.ts";
import type { Params } from "../messages/message.ts";
import { checkAction, readFormAnswer } from "../messages/peer.ts";
import { invalidParams, type RpcError } from "../messages/rpc-error.ts";
import { toAnswer, toForm, toMisfit } from "./approval-form.ts";
import type { KeptQuestion } from "./approvals-port.ts";
import { closed, tooFast } from "./self-answers.ts";

/** Throws an RpcError for an answer of the wrong form; nothing has happened then. */
export function checkAnswers(approvals: AskedApprovals, answers: Params): void {
  for (const name of Object.keys(approvals)) {
    if (answers[name] !== undefined) checkAction(answers[name] as Params);
  }
}

/**
 * `method`, for a retry whose call is gone, with this program's predecessor or for want of time: first its client's
 * answers settle the approvals that were asked for, then the request is made afresh, and takes them at the gate.
 */
export function afterAnswers(
  method: Method<ServerCore>,
  approvals: AskedApprovals,
  answers: Params,
): Method<ServerCore> {
  return async (core, call) => {
    for (const [name, asked] of Object.entries(approvals)) {
      const answer = answers[name];
      if (answer === undefined) continue;
      // Asked afresh, this client would answer the same way.
      call.unattended ??= await whyUnread(core, asked.id, answer as Params);
      if (call.unattended !== undefined) continue;
      const refusal = await settle(core, call, asked, answer as Params);
      if (refusal !== undefined) return toRefusal(refusal);
    }
    return method(core, call);
  };
}

/** Explains why an answer cannot come from a person; undefined if it can. */
async function whyUnread(core: ServerCore, id: string, { action }: Params): Promise<string | undefined> {
  if (action === "cancel") return closed;
  const approval = await core.options.approvals?.get(id);
  const age = approval === undefined ? Number.POSITIVE_INFINITY : core.clock.now() - approval.createdAt;
  return age >= 0 && age < core.readingMs ? tooFast : undefined;
}

/** What the store says of a question, without what whoever answers it elsewhere can do. */
const whyLate: Readonly<Record<string, string>> = {
  APPROVAL_NOT_FOUND: "its question is not kept any more",
  APPROVAL_EXPIRED: "its question expired",
  APPROVAL_ANSWERED: "its question was answered already",
  APPROVAL_CHANGED: "its question is not what was shown",
  APPROVAL_NOT_YOURS: "its question is not for this client to answer",
};

/** Why the call is refused, if it is. */
async function settle(
  core: ServerCore,
  call: Call,
  { id, shown }: AskedApprovals[string],
  given: Params,
): Promise<string | undefined> {
  const { approvals } = core.options;
  const approval = await approvals?.get(id);
  if (approvals === undefined || approval === undefined)
    throw unanswerable("Cannot go on with the call: its question is not kept here");
  const answer = readAnswer(given, approval, formatIdentity(call.client));
  if (answer.approved && !approval.reusable) {
    const why =
      "its arguments hold secrets, so that only the call that asked could use the answer, and it is gone";
    throw unanswerable(`Cannot go on with the call: ${why}`);
  }
  try {
    await approvals.answer(id, answer.approved && shown !== undefined ? { ...answer, shown } : answer);
  } catch (thrown) {
    const code = getErrorCode(thrown);
    if (code?.startsWith("APPROVAL_") !== true) throw thrown;
    // A no needs nobody who still waits for it.
    if (answer.approved || code !== "APPROVAL_EXPIRED")
      throw unanswerable(`Cannot go on with the call: ${whyLate[code] ?? "its question can't be answered"}`);
  }
  if (answer.approved) return undefined;
  const why = answer.reason === undefined ? "" : ` (${answer.reason})`;
  const { toolName, effects } = approval;
  return `Permission denied: "${toolName}" asks to ${describeEffects(effects)}, and ${answer.by} said no${why}`;
}

/** Anything but a clear yes is a no, as it is where the call waits. */
function readAnswer(given: Params, approval: KeptQuestion, by: string): ApprovalAnswer {
  try {
    return toAnswer(readFormAnswer(given, toForm(approval.offers)), approval, by);
  } catch (thrown) {
    if (getErrorCode(thrown) !== "MCP_BAD_ANSWER") throw thrown;
    return toMisfit(by);
  }
}

function unanswerable(why: string): RpcError {
  return invalidParams(`${why}; make the call again without its requestState`);
}
