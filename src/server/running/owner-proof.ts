import type { Home } from "../../app/index.ts";
import { isRecord, parseJson } from "../../base/index.ts";
import { askLocal } from "../../host/index.ts";
import type { Serving } from "./serving-identity.ts";
import { askWithProof, proofHeader, provesAnswer, readPort } from "./serving-proof.ts";

/** Path for requests of `haft console`. */
export const ownerConsolePath = "/owner/console";

/** A request to a running server that only the owner may make. */
export interface OwnerRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
}

/**
 * Sends a request to a running server as its owner. The owner's token is not sent: both sides prove that they know it.
 * Undefined if the program on that port does not answer or does not know the token.
 */
export async function askAsOwner(
  home: Home,
  serving: Serving,
  { method, path }: OwnerRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const token = home.keptOwnerToken();
  if (token === undefined) return undefined;
  const { nonce, header } = askWithProof(token, readPort(serving.url));
  const url = new URL(path, serving.url).href;
  const text = await askLocal(url, { [proofHeader]: header }, method);
  const answer = text === undefined ? undefined : parseJson(text);
  if (!isRecord(answer) || !provesAnswer(token, nonce, serving, answer["proof"])) return undefined;
  return answer;
}
