import { isRecord } from "../../base/index.ts";
import type { Approval, ApprovalAnswer, GrantTerm, Remember } from "../../kernel/index.ts";
import { makeGrantOffer } from "../../kernel/index.ts";
import { OwnerFault } from "./owner-fault.ts";

const known: readonly string[] = ["decision", "digest", "remember", "reason"];
const mostReasonChars = 500;

/**
 * What `{decision, digest?, remember?, reason?}` says of an approval. A yes needs the digest of what was shown.
 *
 * @param by who answers: `owner:http`
 * @throws {OwnerFault} 400 for anything that is not clear: nothing is decided then.
 */
export function readOwnerAnswer(
  given: unknown,
  { offers }: Pick<Approval, "offers">,
  by: string,
): ApprovalAnswer {
  if (!isRecord(given)) throw unclear("the body must be a JSON object");
  const strange = Object.keys(given).find((name) => !known.includes(name));
  if (strange !== undefined) throw unclear(`"${strange.slice(0, 50)}" is not among ${known.join(", ")}`);
  const { decision, digest, remember, reason } = given;
  if (decision === "deny") {
    if (remember !== undefined) throw unclear("only a yes can be remembered");
    if (reason === undefined) return { approved: false, by };
    if (typeof reason !== "string" || reason.length > mostReasonChars)
      throw unclear(`"reason" must be a text of at most ${mostReasonChars} characters`);
    return { approved: false, by, reason };
  }
  if (decision !== "approve") throw unclear('"decision" must be "approve" or "deny"');
  if (reason !== undefined) throw unclear('"reason" belongs to a no');
  if (typeof digest !== "string" || digest === "")
    throw unclear('a yes needs "digest", as GET of the question has it: it says what you were shown');
  if (remember === undefined) return { approved: true, by, shown: digest };
  return { approved: true, by, shown: digest, remember: readRemember(remember, offers) };
}

function readRemember(given: unknown, offers: Approval["offers"]): Remember {
  const { offer, term } = isRecord(given) ? given : {};
  if (typeof offer !== "string" || !isTerm(term)) {
    throw unclear('"remember" must be {"offer": its id, "term": "session", "always" or milliseconds}');
  }
  const remember = { offer, term };
  if (makeGrantOffer(offers, remember) !== undefined) return remember;
  const offered = offers.map(({ id, terms }) => `${id} (${terms.join(", ")})`);
  throw unclear(`it can be remembered as ${offered.join(" or ") || "nothing"} alone`);
}

function isTerm(term: unknown): term is GrantTerm {
  return term === "session" || term === "always" || (Number.isSafeInteger(term) && (term as number) > 0);
}

function unclear(why: string): OwnerFault {
  return new OwnerFault(400, `Cannot take the answer: ${why}`);
}
