import { isRecord } from "../../../base/index.ts";
import { coversEffect, type GrantOffer } from "../../../kernel/index.ts";
import type { KeptApproval } from "../../../modules/approvals/index.ts";
import { readOwnerAnswer } from "../../owner/owner-answer.ts";
import { approvalNotFound } from "../../owner/owner-fault.ts";
import type { QuestionDetail, QuestionsApi } from "../api/index.ts";
import { type ConsoleContext, consoleOwner, type Handlers } from "../route.ts";
import { badInput, readSegment, readWord, requireOwner } from "./input.ts";

export const questionsHandlers: Handlers<QuestionsApi> = {
  "GET /questions": async ({ app }, { query }) => {
    const state = readWord(query, "state", ["pending", "all"]) ?? "pending";
    const { approvals } = await app.store();
    return approvals.list(state === "all" ? {} : { state });
  },

  "GET /questions/:id": async (context, request) => {
    const question = await find(context, readSegment(request, "id"));
    const [diff, covered] = await Promise.all([
      question.state === "pending" ? context.app.previewChange(question, request.signal) : undefined,
      countCovered(context, question),
    ]);
    return { question, diff, covered };
  },

  "POST /questions/:id/answer": async (context, request) => {
    const id = readSegment(request, "id");
    const { approvals } = await context.app.store();
    if (!isRecord(request.body)) throw badInput("the body must be a JSON object");
    const { pin, ...given } = request.body;
    const answer = readOwnerAnswer(given, await find(context, id), consoleOwner);
    // As in the terminal, each yes needs the PIN, if one is set.
    if (answer.approved) await requireOwner(context, typeof pin === "string" ? pin : undefined);
    await approvals.answer(id, answer);
    return find(context, id);
  },
};

async function find({ app }: ConsoleContext, id: string): Promise<KeptApproval> {
  const { approvals } = await app.store();
  const found = await approvals.get(id);
  if (found === undefined) throw approvalNotFound(id);
  return found;
}

/** Counts the other questions that a yes to each offer with patterns would have answered, among the newest kept that have no more effects than a list shows. */
async function countCovered(
  { app }: ConsoleContext,
  { id, toolName, offers, scope }: KeptApproval,
): Promise<QuestionDetail["covered"]> {
  const wider = offers.filter(({ patterns }) => patterns !== undefined);
  if (wider.length === 0) return {};
  const { approvals } = await app.store();
  const asked = await approvals.list({ scope, toolName });
  const others = asked.filter((one) => one.id !== id && one.effects.length > 0);
  const count = ({ patterns = [] }: GrantOffer) =>
    others.filter(({ effects }) =>
      effects.every((effect) => patterns.some((pattern) => coversEffect(pattern, effect))),
    ).length;
  return Object.fromEntries(wider.map((offer) => [offer.id, count(offer)]));
}
