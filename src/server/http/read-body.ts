import { type HttpRequest, readHeader } from "./port.ts";

/**
 * Reads a body of at most `mostBytes`; undefined where it is longer, or says so, and what still comes is thrown away.
 * Rejects where the client goes away before its end.
 */
export function readBody(request: HttpRequest, mostBytes: number): Promise<Buffer | undefined> {
  if (Number(readHeader(request, "content-length") ?? 0) > mostBytes) {
    request.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    let settled = false;
    // Every request closes in the end. An error is made only if nobody has the body yet.
    const leave = () => {
      if (!settled) reject(new Error("Cannot read the request: the client is gone"));
    };
    if (request.destroyed === true) return leave();
    let pieces: Buffer[] | undefined = [];
    let size = 0;
    request.on("data", (piece) => {
      size += piece.length;
      if (size <= mostBytes) return pieces?.push(piece);
      pieces = undefined;
      settled = true;
      resolve(undefined);
    });
    request.on("end", () => {
      settled = true;
      if (pieces !== undefined) resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
    });
    request.on("error", leave);
    request.on("close", leave);
  });
}
