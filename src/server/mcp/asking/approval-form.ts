import { cutHead } from "../../../base/index.ts";
import type { Approval, ApprovalAnswer, GrantOffer, Remember } from "../../../kernel/index.ts";
import type { FormAnswer } from "../messages/peer.ts";
import { exactly, toLine } from "./approval-question.ts";
import type { FormSchema } from "./elicitation.ts";

const once = "allow once";
const no = "deny";

/** How each term reads before what it is for, in the order of a list. */
const terms = [
  { kind: "session", words: "allow for this session", term: "session" },
  { kind: "time", words: "allow for one hour", term: 3_600_000 },
  { kind: "always", words: "allow always", term: "always" },
] as const;

/** A choice is read as one line of a dialog; the question has the whole. */
const mostLabelChars = 120;

/** Plain choices, which every revision with forms knows; none of them is the default. */
export function toForm(offers: readonly GrantOffer[]): FormSchema {
  const choices = [once, ...rememberedChoices(offers).keys(), no];
  return {
    type: "object",
    properties: { decision: { type: "string", title: "Decision", enum: choices } },
    required: ["decision"],
  };
}

/** What a filled-in form means. Anything but a clear yes is a no. */
export function toAnswer(
  answer: FormAnswer,
  { offers }: Pick<Approval, "offers">,
  by: string,
): ApprovalAnswer {
  if (answer.action !== "accept") {
    const reason = answer.action === "decline" ? "declined" : "closed the question";
    return { approved: false, by, reason };
  }
  const { decision } = answer.content;
  if (decision === once) return { approved: true, by };
  const remember = typeof decision === "string" ? rememberedChoices(offers).get(decision) : undefined;
  return remember === undefined ? { approved: false, by } : { approved: true, by, remember };
}

/** The answer for what is not one of the form's. */
export function toMisfit(by: string): ApprovalAnswer {
  return { approved: false, by, reason: "gave an answer that the form does not have" };
}

function rememberedChoices(offers: readonly GrantOffer[]): ReadonlyMap<string, Remember> {
  const choices = new Map<string, Remember>();
  for (const offer of offers) {
    const what = offer.patterns === undefined ? exactly : toShortLine(offer.label);
    for (const { kind, words, term } of terms) {
      const choice = `${words}: ${what}`;
      // Two that read alike could not be told apart: the first is meant.
      if (offer.terms.includes(kind) && !choices.has(choice)) choices.set(choice, { offer: offer.id, term });
    }
  }
  return choices;
}

function toShortLine(label: string): string {
  const line = toLine(label);
  return line.length <= mostLabelChars ? line : `${cutHead(line, mostLabelChars)}…`;
}
