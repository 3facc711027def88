import { pageBytes } from "./kernel/code-kernel.ts";

const seqBytes = Float64Array.BYTES_PER_ELEMENT;
const distanceBytes = Uint16Array.BYTES_PER_ELEMENT;

/** How many codes one chunk holds: with their distances they fill a page of memory. The kernel reads past the last. */
export function findCapacity(codeBytes: number): number {
  const slots = Math.floor((pageBytes - 8 * distanceBytes) / (codeBytes + distanceBytes));
  return Math.floor(slots / 8) * 8;
}

/** Codes and the rows that they are of, in the same order. */
export interface CodeChunk {
  readonly codes: Uint8Array;
  readonly seqs: Float64Array;
}

/** A chunk as a table keeps it: the codes, then the row numbers. */
export function packChunk({ codes, seqs }: CodeChunk): Uint8Array {
  const data = new Uint8Array(codes.length + seqs.byteLength);
  data.set(codes);
  data.set(new Uint8Array(seqs.buffer, seqs.byteOffset, seqs.byteLength), codes.length);
  return data;
}

export function unpackChunk(data: Uint8Array, codeBytes: number): CodeChunk {
  const count = Math.floor(data.length / (codeBytes + seqBytes));
  const rows = Uint8Array.from(data.subarray(count * codeBytes, count * (codeBytes + seqBytes)));
  return { codes: data.subarray(0, count * codeBytes), seqs: new Float64Array(rows.buffer) };
}
