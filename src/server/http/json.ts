import type { HttpRequest, HttpResponse } from "./port.ts";

/** A page of another site can't send this type unasked. */
export function isJson({ headers }: Pick<HttpRequest, "headers">): boolean {
  return /^application\/json\s*(;|$)/i.test(String(headers["content-type"]));
}

/** Undefined for a body that is longer. Rejects where the caller goes away first. */
export function readBody(request: HttpRequest, mostBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size <= mostBytes) pieces.push(piece);
      else resolve(undefined);
    });
    request.on("end", () => resolve(Buffer.concat(pieces).toString()));
    request.on("error", reject);
    request.on("close", () => reject(new Error("Cannot read the request: the caller is gone")));
  });
}

export interface JsonAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function sendJson(response: HttpResponse, { status, text, headers }: JsonAnswer): void {
  const own = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  response.writeHead(status, { ...own, ...headers });
  response.end(text);
}
