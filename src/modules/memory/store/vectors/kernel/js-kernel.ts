import { type CodeKernel, pageBytes } from "./code-kernel.ts";

/** What hamming.wat says, for engines that can't run it: some four times slower. */
export function createJsKernel(): CodeKernel {
  let bytes = new Uint8Array(pageBytes);
  return {
    kind: "js",
    bytes: () => bytes,
    grow: (pages) => {
      const grown = new Uint8Array(bytes.length + pages * pageBytes);
      grown.set(bytes);
      bytes = grown;
    },
    measure: ({ codes, count, blocks, distances }, query, histogram) => {
      const words = new Uint32Array(bytes.buffer);
      const results = new Uint16Array(bytes.buffer, distances, count);
      const wordsPerCode = blocks * 4;
      for (let slot = 0, at = codes / 4; slot < count; slot++, at += wordsPerCode) {
        let distance = 0;
        for (let word = 0; word < wordsPerCode; word++) {
          distance += countBits((words[at + word] as number) ^ (words[query / 4 + word] as number));
        }
        results[slot] = distance;
        (words[histogram / 4 + distance] as number)++;
      }
    },
    collect: ({ distances, count }, { least, most }, found) => {
      const all = new Uint16Array(bytes.buffer);
      let next = found / 2;
      for (let slot = 0; slot < count; slot++) {
        const distance = all[distances / 2 + slot] as number;
        if (distance >= least && distance <= most) all[next++] = slot;
      }
      return next - found / 2;
    },
  };
}

/** How many bits of a 32-bit number are set. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
