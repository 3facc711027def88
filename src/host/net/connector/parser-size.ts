import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";

/** True in V8 13, which is Node 24: another version may not know the flag, and would say so. */
const knowsFlag = process.versions.v8.startsWith("13.");
const compileOnce = "--wasm-tier-up-filter=1000000";
const asUsual = "--wasm-tier-up-filter=-1";
let isCompiled = false;

/**
 * Takes a connection that undici has begun to listen to. V8 compiles undici's parser of HTTP/1 when the first answer of a
 * process comes, and a function of it a second time within the first 100, to optimize it: that takes 25 MB and keeps 12,
 * and requests are not faster then. What is compiled by the first answer of this connection is not optimized later.
 */
export function keepParserSmall(socket: Socket): void {
  if (isCompiled || !knowsFlag) return;
  // Undici's own listener, which parses, is called between these two.
  socket.prependOnceListener("readable", () => {
    isCompiled = true;
    setFlagsFromString(compileOnce);
  });
  socket.once("readable", () => setFlagsFromString(asUsual));
}
