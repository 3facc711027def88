import { isRecord } from "../../base/index.ts";
import type { KeptTerms } from "./lexical-index.ts";

/** Changes with what the bytes mean, and with what the words of a tool are. */
export const keptForm = "tool-words-4";

/** A search index as it is kept between two starts. */
export interface KeptIndex {
  /** Each tool's name, slot and the mark of its text. */
  readonly tools: readonly (readonly [name: string, slot: number, mark: string])[];
  readonly words: KeptTerms;
}

/** How long the JSON is; the JSON, filled up to whole numbers; the numbers. All of them little-endian. */
export function encodeIndex({ tools, words: { terms, numbers } }: KeptIndex): Uint8Array {
  const json = JSON.stringify({ tools, terms });
  const head = new TextEncoder().encode(json.padEnd(json.length + 3));
  const headLength = head.length - (head.length % 4);
  const bytes = new Uint8Array(4 + headLength + numbers.length * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, headLength, true);
  bytes.set(head.subarray(0, headLength), 4);
  for (const [at, number] of numbers.entries()) view.setUint32(4 + headLength + at * 4, number, true);
  return bytes;
}

/** @throws {Error} for bytes that {@link encodeIndex} has not made. */
export function decodeIndex(bytes: Uint8Array): KeptIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 4 + view.getUint32(0, true);
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start)));
  if (!isRecord(head) || !isToolList(head["tools"]) || !isTextList(head["terms"])) {
    throw new RangeError("Cannot read the index: its head is of another form");
  }
  const numbers = new Uint32Array((bytes.length - start) / 4);
  for (let at = 0; at < numbers.length; at++) numbers[at] = view.getUint32(start + at * 4, true);
  return { tools: head["tools"], words: { terms: head["terms"], numbers } };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isToolList(value: unknown): value is [string, number, string][] {
  return (
    Array.isArray(value) &&
    value.every(
      (entry) =>
        Array.isArray(entry) &&
        typeof entry[0] === "string" &&
        Number.isInteger(entry[1]) &&
        typeof entry[2] === "string",
    )
  );
}
