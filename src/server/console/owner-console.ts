import { type Clock, systemClock } from "../../base/index.ts";
import { sendJson } from "../http/json.ts";
import { MinuteCount } from "../http/minute-count.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import { ownerConsolePath } from "../running/owner-proof.ts";
import type { Serving } from "../running/serving-identity.ts";
import { answerProof, proofHeader, readPort, readQuestion } from "../running/serving-proof.ts";
import type { LazyConsole } from "./lazy-console.ts";

export interface OwnerConsoleOptions {
  /** The owner's token. MCP clients must not have it: an agent could open the console and approve itself. */
  readonly token: string;
  /** Undefined if the console is off. */
  readonly console: Pick<LazyConsole, "issueLink" | "sessions" | "endSession"> | undefined;
  readonly describe: () => Serving;
  readonly clock?: Clock;
}

/** Requests without a proof that get a reason, per minute. The rest get status 429. */
const mostRefused = 30;

/** Whether a request comes from a command such as `haft console`. */
export function isOwnerConsoleRequest({ url = "" }: Pick<HttpRequest, "url">): boolean {
  return url === ownerConsolePath || url.startsWith(`${ownerConsolePath}/`);
}

/**
 * Answers the requests of `haft console`: POST makes a link, GET lists the sessions, DELETE of `/ID` ends one. Caller and
 * server prove to each other that they know the owner's token.
 */
export function createOwnerConsoleHandler(
  options: OwnerConsoleOptions,
): (request: HttpRequest, response: HttpResponse) => Promise<void> {
  const { token, describe } = options;
  const refusals = new MinuteCount(options.clock ?? systemClock, { admitted: 0, refused: mostRefused });
  return async (request, response) => {
    request.resume();
    const serving = describe();
    const nonce = readQuestion(token, readPort(serving.url), request.headers[proofHeader]);
    if (nonce === undefined) {
      const status = refusals.count("refused") ? 401 : 429;
      return sendJson(response, { status, text: JSON.stringify({ error: refusal }) });
    }
    const answer = await answerOwner(options, request);
    const status = answer === undefined ? 405 : 200;
    const proof = answerProof(token, nonce, serving);
    sendJson(response, { status, text: JSON.stringify({ ...answer, proof }) });
  };
}

const refusal =
  "Cannot take the request: it has no proof of the owner's token; run `haft console` at a terminal of your own";

async function answerOwner(
  { console }: OwnerConsoleOptions,
  { method, url = "" }: HttpRequest,
): Promise<object | undefined> {
  if (console === undefined) return { off: true };
  const id = url.slice(ownerConsolePath.length + 1);
  if (method === "POST" && id === "") return console.issueLink();
  if (method === "GET" && id === "") return { sessions: console.sessions() };
  if (method === "DELETE" && id !== "") return { ended: console.endSession(id) };
  return undefined;
}
