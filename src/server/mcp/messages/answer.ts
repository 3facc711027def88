import type { Reply } from "../calls/call.ts";
import { errorText, type RequestId, resultText } from "./message.ts";
import { type RpcError, toRpcError } from "./rpc-error.ts";

/** How a method came out. */
export type Outcome = { readonly reply: Reply } | { readonly thrown: unknown };

/** A message that answers a request, and the status it has over HTTP. */
export interface Answer {
  readonly text: string;
  readonly httpStatus: number;
}

export function errorAnswer(id: RequestId | undefined, error: RpcError): Answer {
  return { text: errorText(id, error), httpStatus: error.httpStatus };
}

/** Before 2026-07-28. */
export function legacyAnswer(id: RequestId, outcome: Outcome, onError: (error: unknown) => void): Answer {
  if ("thrown" in outcome) return errorAnswer(id, toRpcError(outcome.thrown, onError));
  const { members, meta, fault } = outcome.reply;
  if (fault !== undefined) return errorAnswer(id, fault);
  return {
    text: resultText(id, meta === undefined ? members : `${members},"_meta":{${meta}}`),
    httpStatus: 200,
  };
}

/** The answer of protocols from 2026-07-28 on: every result says that it is one, and who gives it. */
export function modernAnswer(
  id: RequestId,
  outcome: Outcome,
  { infoMeta, onError }: { readonly infoMeta: string; readonly onError: (error: unknown) => void },
  resultType: "complete" | "input_required" = "complete",
): Answer {
  if ("thrown" in outcome) return errorAnswer(id, toRpcError(outcome.thrown, onError));
  const { members, meta, fault } = outcome.reply;
  if (fault !== undefined) return errorAnswer(id, fault);
  const ownMeta = meta === undefined ? infoMeta : `${infoMeta},${meta}`;
  const body = members === "" ? members : `${members},`;
  return {
    text: resultText(id, `"resultType":"${resultType}",${body}"_meta":{${ownMeta}}`),
    httpStatus: 200,
  };
}

/** Runs a method and says how it came out, at once where it can. */
export function settle(run: () => Reply | PromiseLike<Reply>, tell: (outcome: Outcome) => void): void {
  let reply: Reply | PromiseLike<Reply>;
  try {
    reply = run();
  } catch (thrown) {
    tell({ thrown });
    return;
  }
  if ("then" in reply) {
    reply.then(
      (settled) => tell({ reply: settled }),
      (thrown: unknown) => tell({ thrown }),
    );
  } else tell({ reply });
}

/** What is left to do once an answer is out, or can't go out any more. */
export function finish(outcome: Outcome): void {
  if ("reply" in outcome) outcome.reply.after?.();
}
