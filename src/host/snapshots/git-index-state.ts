import { createHash } from "node:crypto";
import { readIndex } from "../sandbox/git/git-index.ts";
import { UnsupportedRepository } from "./unsupported-repository.ts";

/** An index as git keeps it, without what only makes git faster. */
export interface IndexContent {
  /** Header and entries, with a checksum of their own: a valid index. */
  readonly bytes: Buffer;
  /** SHA-256 over the entries without what git knows of the files' times, places and sizes. */
  readonly digest: string;
}

export interface IndexEntryState {
  readonly name: string;
  /** Id of the blob. */
  readonly id: string;
  readonly mode: number;
  /** 0, but for a file in conflict. */
  readonly stage: number;
}

const hashBytes = 20;
/** Bytes of an entry before the id of its blob; the mode is in the middle. */
const statBytes = 40;
const [modeAt, modeEnd] = [24, 28];
/** Extensions by which the entries are incomplete: those of a split index and of a sparse one. */
const elsewhere: ReadonlySet<string> = new Set(["link", "sdir"]);

/** @throws {UnsupportedRepository} for an index that can't be read whole. */
export function readIndexContent(index: Buffer): IndexContent {
  const plain = Buffer.from(index);
  const read = readIndex(index, hashBytes);
  let next = read.next();
  for (; next.done !== true; next = read.next()) {
    const at = next.value.hashAt - statBytes;
    plain.fill(0, at, at + modeAt).fill(0, at + modeEnd, at + statBytes);
  }
  const end = checkEnd(index, next.value);
  const content = index.subarray(0, end);
  return {
    bytes: Buffer.concat([content, createHash("sha1").update(content).digest()]),
    digest: createHash("sha256").update(plain.subarray(0, end)).digest("hex"),
  };
}

/** @throws {UnsupportedRepository} for an index that can't be read whole. */
export function listIndex(index: Buffer): readonly IndexEntryState[] {
  const entries: IndexEntryState[] = [];
  const read = readIndex(index, hashBytes);
  let next = read.next();
  for (; next.done !== true; next = read.next()) {
    const { name, hashAt } = next.value;
    entries.push({
      name,
      id: index.toString("hex", hashAt, hashAt + hashBytes),
      mode: index.readUInt32BE(hashAt - statBytes + modeAt),
      stage: (index.readUInt16BE(hashAt + hashBytes) & 0x3000) >> 12,
    });
  }
  checkEnd(index, next.value);
  return entries;
}

function checkEnd(index: Buffer, end: number | undefined): number {
  if (end !== undefined && !isElsewhere(index, end)) return end;
  throw new UnsupportedRepository("the index of git here is of a kind that is not read");
}

function isElsewhere(index: Buffer, from: number): boolean {
  let at = from;
  while (at + 8 <= index.length - hashBytes) {
    if (elsewhere.has(index.toString("latin1", at, at + 4))) return true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at !== index.length - hashBytes;
}
