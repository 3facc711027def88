import type { OpenedFile } from "../../../host/index.ts";

export interface StreamEdit {
  readonly needle: Buffer;
  readonly replacement: Buffer;
  readonly replaceAll: boolean;
  /** Takes the new content piece by piece; a piece stays as it is until the promise settles. */
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly signal: AbortSignal;
}

const chunkBytes = 1024 * 1024;

/**
 * Replaces bytes on the way from a file to wherever it is written, in two buffers of 1 MiB: while one is written, the
 * other is filled and searched. Returns how often the needle was found; at the second of a needle that must be unique
 * it stops.
 */
export async function replaceInStream(file: OpenedFile, edit: StreamEdit): Promise<number> {
  const { needle, replacement, replaceAll, write, signal } = edit;
  const keep = needle.length - 1;
  const buffers = [
    Buffer.allocUnsafeSlow(keep + chunkBytes),
    Buffer.allocUnsafeSlow(keep + chunkBytes),
  ] as const;
  let writing: Promise<void> = Promise.resolve();
  let found = 0;
  let carried = 0;
  for (let turn = 0, position = 0; ; turn++) {
    signal.throwIfAborted();
    const buffer = buffers[turn % 2] as Buffer;
    const count = file.read(buffer.subarray(carried, carried + chunkBytes), position);
    const filled = buffer.subarray(0, carried + count);
    const atEnd = count < chunkBytes;
    position += count;
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = filled.indexOf(needle); at !== -1; at = filled.indexOf(needle, from)) {
      found++;
      if (found > 1 && !replaceAll) {
        await writing;
        return found;
      }
      parts.push(filled.subarray(from, at), replacement);
      from = at + needle.length;
    }
    // The needle may begin in the last bytes and go on in the next.
    const end = atEnd ? filled.length : Math.max(from, filled.length - keep);
    parts.push(filled.subarray(from, end));
    await writing;
    writing = write(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    if (atEnd) break;
    const next = buffers[(turn + 1) % 2] as Buffer;
    carried = filled.copy(next, 0, end);
  }
  await writing;
  return found;
}
