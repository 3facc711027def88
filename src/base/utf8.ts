/** How many of `bytes` make whole UTF-8 characters: without the one that a cut at the end went through, if it did. */
export function wholeLength(bytes: Uint8Array): number {
  const end = bytes.byteLength;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** The offset of the first whole UTF-8 character in `bytes`, which were cut at the start. */
export function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
