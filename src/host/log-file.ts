import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";

/** Size at which a log is cut to the newest half of it. */
export const maxLogBytes: number = 8 * 1024 * 1024;

/**
 * Cuts a log that is larger than `maxBytes` to its newest lines, of half that size. The file stays the same one, so
 * that programs which append to it go on.
 */
export function cutLog(file: string, maxBytes: number = maxLogBytes): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return;
  const log = openSync(file, "r+");
  try {
    let from = startOfNewest(log, maxBytes);
    let to = 0;
    // What others append meanwhile is taken along.
    for (let chunk = readAt(log, from); chunk.length > 0; chunk = readAt(log, from)) {
      writeSync(log, chunk, 0, chunk.length, to);
      from += chunk.length;
      to += chunk.length;
    }
    ftruncateSync(log, to);
  } finally {
    closeSync(log);
  }
}

/** The position of the first whole line of the newest half; in a line that is longer, that of the half itself. */
function startOfNewest(log: number, maxBytes: number): number {
  const half = fstatSync(log).size - Math.floor(maxBytes / 2);
  const lineEnd = readAt(log, half).indexOf("\n");
  return half + lineEnd + 1;
}

function readAt(log: number, position: number): Buffer {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  return chunk.subarray(0, readSync(log, chunk, 0, chunk.length, position));
}

/**
 * Bounds the log of this process: the returned function cuts it where it is due, and is to be called after each write.
 * Undefined where standard error does not go to that file.
 */
export function boundOwnLog(file: string): (() => void) | undefined {
  const standardError = 2;
  const own = fstatSync(standardError);
  const log = statSync(file, { throwIfNoEntry: false });
  if (log === undefined || log.ino !== own.ino || log.dev !== own.dev) return undefined;
  return () => {
    if (fstatSync(standardError).size > maxLogBytes) cutLog(file);
  };
}
