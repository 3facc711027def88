import { readFile } from "node:fs/promises";
import { Tokenizer } from "@huggingface/tokenizers";
import { env, InferenceSession, Tensor } from "onnxruntime-web";

/** More letters than `longest` parts of words ever have. */
const maxChars = 4000;
/** The model was trained with texts of so many parts of words; what follows is left out. */
const longest = 128;

/**
 * Loads the model of a folder, and gives the function that makes vectors of texts: the mean of what the model says of a
 * text's parts, scaled to length 1. It computes where it is called, so it belongs in a thread; haft starts one.
 *
 * @param {URL} folder with `model.onnx`, `tokenizer.json` and `tokenizer_config.json`
 * @returns {Promise<(texts: readonly string[]) => Promise<Float32Array[]>>}
 */
export async function openEncoder(folder = new URL("./weights/", import.meta.url)) {
  const read = (name) => readFile(new URL(name, folder));
  const [rules, settings, weights] = await Promise.all(
    ["tokenizer.json", "tokenizer_config.json", "model.onnx"].map(read),
  );
  const tokenizer = new Tokenizer(JSON.parse(rules), JSON.parse(settings));
  env.wasm.numThreads = 1;
  const session = await InferenceSession.create(weights, { executionProviders: ["wasm"] });
  return async (texts) => {
    const vectors = [];
    // One by one: texts of one length alone need no padding, and a thread is no faster with many at once.
    for (const text of texts) vectors.push(await embed(text, tokenizer, session));
    return vectors;
  };
}

async function embed(text, tokenizer, session) {
  const ids = cut(tokenizer.encode(text.slice(0, maxChars)).ids);
  if (ids.length === 0) return embed("[UNK]", tokenizer, session);
  const numbersOf = (value) => new Tensor("int64", BigInt64Array.from(ids, value), [1, ids.length]);
  const inputs = {
    input_ids: numbersOf((id) => BigInt(id)),
    attention_mask: numbersOf(() => 1n),
    token_type_ids: numbersOf(() => 0n),
  };
  const wanted = session.inputNames.map((name) => [name, inputs[name]]);
  const { last_hidden_state: said } = await session.run(Object.fromEntries(wanted));
  return toUnit(sumOfRows(said.data, said.dims[2]));
}

/** The last part is the mark of a text's end, which stays. */
function cut(ids) {
  return ids.length > longest ? [...ids.slice(0, longest - 1), ids.at(-1)] : ids;
}

/** It points where the mean does. */
function sumOfRows(data, width) {
  const sum = new Float32Array(width);
  for (let at = 0; at < data.length; at++) sum[at % width] += data[at];
  return sum;
}

/** A sum without a direction stays as it is. */
function toUnit(vector) {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : vector.fill(0);
}
