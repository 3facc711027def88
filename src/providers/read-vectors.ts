import { isRecord, parseJson } from "../base/index.ts";
import type { HttpResponse } from "../host/index.ts";
import { ModelError } from "../model/index.ts";

/** More numbers than any model gives; every one is kept for every text. */
const maxLength = 16_384;

/**
 * The vectors in an answer of an embeddings API, in the order of the texts.
 *
 * @throws {ModelError} MODEL_ANSWER
 */
export function readVectors(
  { body, truncated, url }: HttpResponse,
  count: number,
  model: string,
): readonly Float32Array[] {
  const fail = (why: string) =>
    new ModelError(
      "MODEL_ANSWER",
      `Cannot use what "${url}" answered for the model "${model}": ${why}; see that the url and the model are those of an embeddings API`,
    );
  if (truncated) throw fail("it is larger than is read");
  const answer = parseJson(new TextDecoder().decode(body));
  const data = isRecord(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data)) throw fail("it is no JSON object with data");
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = isRecord(item) ? item : {};
    if (typeof index !== "number" || !(index in vectors))
      throw fail(`it has a vector of no text, ${String(index)}`);
    vectors[index] = toVector(embedding);
    if (vectors[index] === undefined) throw fail(`its vector ${index} is no list of numbers`);
  }
  const missing = vectors.indexOf(undefined);
  if (missing >= 0) throw fail(`it has no vector of text ${missing}`);
  const made = vectors as readonly Float32Array[];
  if (made.some(({ length }) => length !== made[0]?.length)) throw fail("its vectors differ in length");
  return made;
}

function toVector(embedding: unknown): Float32Array | undefined {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > maxLength) return undefined;
  const vector = Float32Array.from(embedding, (value) => (typeof value === "number" ? value : Number.NaN));
  return vector.every(Number.isFinite) ? vector : undefined;
}
