import type { HttpRequest } from "../http/port.ts";

/** The address at which approvals are answered over HTTP, and the file with the token for it. */
export interface OwnerEndpoint {
  readonly url: string;
  readonly tokenFile: string;
}

export const ownerPath = "/approvals";

/** True for a request of the owner's side, whatever it asks for. */
export function isOwnerRequest({ url = "" }: Pick<HttpRequest, "url">): boolean {
  return /^\/approvals(?:[/?]|$)/.test(url);
}
