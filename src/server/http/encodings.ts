import { type HttpRequest, readHeader } from "./port.ts";

/** The encodings that a request accepts, as it names them, in lower case. */
export function readEncodings(request: Pick<HttpRequest, "headers">): readonly string[] {
  return (readHeader(request, "accept-encoding") ?? "")
    .split(",")
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => (one.split(";", 1)[0] as string).trim().toLowerCase());
}
