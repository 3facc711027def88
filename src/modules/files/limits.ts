import { HostError } from "../../host/index.ts";

const mib = 1024 * 1024;

/** The most bytes of one file, read or written. */
export const maxFileBytes: number = 50 * mib;
export const defaultLines = 2000;
/** About 25,000 tokens; a window of lines ends before it. */
export const maxWindowChars = 100_000;
/** A window with what is said about it, and as JSON. */
export const maxReadOutputChars = 150_000;
export const maxFoundFiles = 10_000;
export const maxListedEntries = 10_000;
export const maxMatches = 1000;
/** Longer lines are shown around the match. */
export const maxMatchLineChars = 500;
/** Files of a listing or a search as text: about 20,000 tokens. */
export const maxListOutputChars = 80_000;

/** Throws FILE_TOO_LARGE for more than one file may have. */
export function checkSize(path: string, bytes: number): void {
  if (bytes <= maxFileBytes) return;
  throw new HostError(
    "FILE_TOO_LARGE",
    `Cannot take "${path}": it has ${(bytes / mib).toFixed(1)} MiB and the limit is ${maxFileBytes / mib} MiB; search in it with grep, or work on a part with a command`,
    { details: { path, bytes, maxBytes: maxFileBytes } },
  );
}
