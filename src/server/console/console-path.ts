import type { HttpRequest } from "../http/port.ts";

/** True for a request of the console, whatever it asks for. The path is compared as it was sent. */
export function isConsoleRequest({ url = "" }: Pick<HttpRequest, "url">): boolean {
  return /^\/console(?:[/?]|$)/.test(url);
}
