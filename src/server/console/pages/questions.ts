import { isRecord } from "../../../base/index.ts";
import type { KeptApproval } from "../../../modules/approvals/index.ts";
import { readOwnerAnswer } from "../../owner/owner-answer.ts";
import { approvalNotFound } from "../../owner/owner-fault.ts";
import type { QuestionsApi } from "../api/index.ts";
import type { ConsoleContext, Handlers } from "../route.ts";
import { badInput, readSegment, readWord, requireOwner } from "./input.ts";

/** Who answers at the console, among the `owner:*` that may answer any question. */
export const consoleOwner = "owner:console";

export const questionsHandlers: Handlers<QuestionsApi> = {
  "GET /questions": async ({ app }, { query }) => {
    const state = readWord(query, "state", ["pending", "all"]) ?? "pending";
    const { approvals } = await app.store();
    return approvals.list(state === "all" ? {} : { state });
  },

  "GET /questions/:id": async (context, request) => {
    const question = await find(context, readSegment(request, "id"));
    return { question, diff: undefined, covered: {} };
  },

  "POST /questions/:id/answer": async (context, request) => {
    const id = readSegment(request, "id");
    const { approvals } = await context.app.store();
    if (!isRecord(request.body)) throw badInput("the body must be a JSON object");
    const { pin, ...given } = request.body;
    const answer = readOwnerAnswer(given, await find(context, id), consoleOwner);
    // As at the terminal, each yes is given with the PIN, if there is one.
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
