import type { HttpRequest } from "../http/port.ts";

/** Whether a request is for the console: for its page, its files or its API. Compares the path as sent, without decoding. */
export function isConsoleRequest({ url = "" }: Pick<HttpRequest, "url">): boolean {
  return /^\/console(?:[/?]|$)/.test(url);
}
