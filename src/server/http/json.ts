import type { HttpRequest, HttpResponse } from "./port.ts";

/** A page of another site can't send this type unasked. */
export function isJson({ headers }: Pick<HttpRequest, "headers">): boolean {
  return /^application\/json\s*(;|$)/i.test(String(headers["content-type"]));
}

export interface JsonAnswer {
  readonly status: number;
  /** JSON, as text or as the bytes of UTF-8. */
  readonly text: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers in JSON that nobody keeps. */
export function sendJson(response: HttpResponse, { status, text, headers }: JsonAnswer): void {
  const own = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  response.writeHead(status, { ...own, ...headers });
  response.end(text);
}
