import { type HttpRequest, readHeader } from "../../http/port.ts";

/** Reads a body of at most `maxBytes`; undefined where it is larger. Never settles if the client goes away first. */
export function readBody(
  request: HttpRequest,
  maxBytes: number,
  done: (body: Buffer | undefined) => void,
): void {
  if (Number(readHeader(request, "content-length") ?? 0) > maxBytes) {
    done(undefined);
    return;
  }
  let pieces: Buffer[] | undefined = [];
  let size = 0;
  request.on("data", (piece) => {
    if (pieces === undefined) return;
    size += piece.length;
    if (size > maxBytes) {
      pieces = undefined;
      done(undefined);
    } else pieces.push(piece);
  });
  request.on("end", () => {
    if (pieces !== undefined) done(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
  });
}
