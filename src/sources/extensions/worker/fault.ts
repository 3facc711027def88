import { getErrorCode, getErrorMessage, isRecord } from "../../../base/index.ts";
import type { Fault } from "../messages.ts";

const mostMessageChars = 4000;

/** What haft is told of something thrown, with the first place of it in the extension's own files. */
export function toFault(thrown: unknown, isOwn: (url: string) => boolean): Fault {
  const code = getErrorCode(thrown);
  const details: unknown = isRecord(thrown) ? thrown["details"] : undefined;
  const place = findPlace(thrown, isOwn);
  return {
    message: getErrorMessage(thrown).slice(0, mostMessageChars),
    ...(code !== undefined && { code: code.slice(0, 64) }),
    ...(isRecord(details) && { details }),
    ...(place !== undefined && { place }),
  };
}

function findPlace(thrown: unknown, isOwn: (url: string) => boolean): Fault["place"] {
  const stack = thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : "";
  for (const [, url = "", line] of stack.matchAll(/(file:\/\/[^\s()]+?):(\d+)/g))
    if (isOwn(url)) return { url, line: Number(line) };
  return undefined;
}
