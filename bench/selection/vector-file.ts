import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Embedder } from "../../src/search/index.ts";

/** The same embedder, with every vector kept in a file: a rerun makes none. Without a file they are kept for this run. */
export function keepVectors(embedder: Embedder, file: string | undefined): Embedder {
  const kept = new Map(file === undefined || !existsSync(file) ? [] : readVectors(file));
  const { background: _, ...known } = embedder;
  return {
    ...known,
    embed: async (texts, signal) => {
      const missing = [...new Set(texts)].filter((text) => !kept.has(toKey(text)));
      const made = missing.length === 0 ? [] : await embedder.embed(missing, signal);
      for (const [at, text] of missing.entries()) {
        const vector = made[at];
        if (vector === undefined) throw new RangeError("Cannot keep a vector: the model gave too few");
        kept.set(toKey(text), vector);
        if (file !== undefined) appendFileSync(file, `${JSON.stringify([toKey(text), toText(vector)])}\n`);
      }
      return texts.map((text) => kept.get(toKey(text)) as Float32Array);
    },
  };
}

function toKey(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function readVectors(file: string): [string, Float32Array][] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [key, text] = JSON.parse(line) as [string, string];
      return [key, new Float32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer)];
    });
}

function toText(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}
