import type { CodeMemory } from "./code-memory.ts";
import type { CodeGauge } from "./sign-codes.ts";

/** Codes in the kernel's memory, their distances after them, and the rows that they are of. */
export interface CodePage {
  readonly address: number;
  readonly count: number;
  readonly seqs: Float64Array;
}

export interface CodePages {
  readonly pages: readonly CodePage[];
  /** @default all of them */
  readonly only?: ReadonlySet<number> | undefined;
}

export interface CodeQuery {
  readonly code: Uint8Array;
  readonly gauge: CodeGauge;
}

export interface FoundCodes {
  /** The nearest first. */
  readonly seqs: readonly number[];
  /** How many codes there are, those that do not count too. */
  readonly of: number;
  /** No others are left. */
  readonly all: boolean;
}

/** Equal distances may be many: of these no more are looked at. */
const tieFactor = 4;

/** About the `most` nearest: by the bits that differ, then put in order by the gauge. Uses the memory's first page. */
export function nearestCodes(
  memory: CodeMemory,
  among: readonly CodePages[],
  query: CodeQuery,
  most: number,
): FoundCodes {
  const scan = new Scan(memory, among, query);
  const found: FoundCode[] = [];
  let least = 0;
  for (let wanted = most; found.length < most && least <= scan.furthest; wanted *= 4) {
    const range = { least, most: scan.reach(least, wanted) };
    scan.collect(range, found, most * tieFactor);
    least = range.most + 1;
  }
  found.sort((one, other) => other.nearness - one.nearness);
  return { seqs: found.map(({ seq }) => seq), of: scan.count, all: least > scan.furthest };
}

interface FoundCode {
  readonly seq: number;
  readonly nearness: number;
}

class Scan {
  /** The greatest distance that any code has. */
  readonly furthest: number;
  readonly count: number;
  readonly #memory: CodeMemory;
  readonly #among: readonly CodePages[];
  readonly #query: CodeQuery;
  readonly #histogram: Uint32Array;
  readonly #foundAt: number;

  constructor(memory: CodeMemory, among: readonly CodePages[], query: CodeQuery) {
    this.#memory = memory;
    this.#among = among;
    this.#query = query;
    const { code } = query;
    const histogramAt = code.length;
    const histogramBytes = (code.length * 8 + 1) * Uint32Array.BYTES_PER_ELEMENT;
    this.#foundAt = histogramAt + histogramBytes;
    const bytes = memory.kernel.bytes();
    bytes.set(code);
    bytes.fill(0, histogramAt, this.#foundAt);
    const blocks = code.length / 16;
    for (const { pages } of among) {
      for (const { address, count } of pages) {
        const distances = distancesAt(address, count, code.length);
        memory.kernel.measure({ codes: address, count, blocks, distances }, 0, histogramAt);
      }
    }
    this.#histogram = new Uint32Array(bytes.buffer.slice(histogramAt, this.#foundAt));
    this.furthest = this.#histogram.findLastIndex((count) => count > 0);
    this.count = this.#histogram.reduce((total, count) => total + count, 0);
  }

  /** The distance by which, from `least` on, there are as many as wanted. */
  reach(least: number, wanted: number): number {
    let [distance, seen] = [least, this.#histogram[least] ?? 0];
    while (seen < wanted && distance < this.furthest) seen += this.#histogram[++distance] as number;
    return distance;
  }

  collect(range: { least: number; most: number }, found: FoundCode[], limit: number): void {
    const bytes = this.#memory.kernel.bytes();
    const { code, gauge } = this.#query;
    for (const { pages, only } of this.#among) {
      for (const { address, count, seqs } of pages) {
        const distances = distancesAt(address, count, code.length);
        const hits = this.#memory.kernel.collect({ distances, count }, range, this.#foundAt);
        for (const slot of new Uint16Array(bytes.buffer, this.#foundAt, hits)) {
          const seq = seqs[slot] as number;
          if (only !== undefined && !only.has(seq)) continue;
          if (found.length >= limit) return;
          found.push({ seq, nearness: gauge.of(bytes, address + slot * code.length) });
        }
      }
    }
  }
}

/** The address of the distances: after the codes, at an even address. */
function distancesAt(address: number, count: number, codeBytes: number): number {
  return address + count * codeBytes;
}
