import { setImmediate } from "node:timers/promises";
import { cutHead, getErrorMessage } from "../../base/index.ts";
import type { Embedder } from "../../search/index.ts";
import { toUnit } from "../memory/index.ts";
import { closed, EmbedError } from "./errors.ts";
import { eachKnownWord } from "./known-words.ts";
import type { OpenEmbedder } from "./open-model.ts";
import { openWordTable, type WordTable } from "./word-table.ts";

/** The SHA-256 of the file of vectors. It is part of the model's id: with other vectors it is another model. */
export const packagedDigest = "53a75178c41ece2ab81cd6a833a596b2e799de97dfd7603ef9907bdaf02eeeae";

const file = new URL("./words/words.bin", import.meta.url);
const id = `haft-words/${packagedDigest.slice(0, 16)}`;
/** More of a text takes longer, and says little that its beginning does not. */
const maxChars = 4000;
const about = "the word vectors that come with haft (many languages, 19 MB, Apache-2.0 and MIT)";
/** So many take some milliseconds; then others have their turn. */
const textsPerTurn = 64;
/** The words of so many are found sooner one by one than by reading the whole file. */
const fewTexts = 8;

/**
 * The model that comes with haft: a vector for each word, added up. A text takes less than a tenth of a millisecond,
 * so it needs no thread. The file is opened at the first text, and closed with the last embedder.
 *
 * @example
 * ```ts
 * const model = openPackagedModel();
 * const [tea, drink, car] = await model.embed(["a cup of tea", "something to drink", "the engine of a car"]);
 * await model.close();
 * const cosine = (a: Float32Array, b: Float32Array) =>
 *   a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
 * if (tea && drink && car) cosine(tea, drink) > cosine(tea, car); // → true
 * ```
 */
export function openPackagedModel(): OpenEmbedder {
  const end = new AbortController();
  users++;
  const embedder = (inBackground: boolean): Embedder => ({
    id,
    embed: (texts, signal) => {
      const both = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
      return embedTexts(texts, both, !inBackground);
    },
  });
  const own = embedder(false);
  return {
    ...own,
    background: embedder(true),
    embedWords: (words, signal) => own.embed(words, signal),
    about,
    reads,
    likeness,
    close: async () => {
      if (end.signal.aborted) return;
      end.abort(closed());
      users--;
      if (users > 0) return;
      const opened = table;
      table = undefined;
      await opened?.then(
        (words) => words.close(),
        () => {},
      );
    },
  };
}

/** A model for texts, with the packaged vectors for single words. */
export function withPackagedWords(model: OpenEmbedder): OpenEmbedder {
  const words = openPackagedModel();
  return {
    ...model,
    embedWords: (some, signal) => words.embed(some, signal),
    close: async () => {
      await Promise.all([words.close(), model.close()]);
    },
  };
}

/** Measured over memories and questions of several sets; see bench/README.md. */
const likeness = { unrelated: 0.3, related: 0.55 };

const known =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/** Texts in other scripts, such as Georgian, have none of its words. */
function reads(text: string): boolean {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  return count(known) * 2 >= count(/\p{L}/gu);
}

let table: Promise<WordTable> | undefined;
let users = 0;

async function embedTexts(
  texts: readonly string[],
  signal: AbortSignal,
  isAwaited: boolean,
): Promise<readonly Float32Array[]> {
  signal.throwIfAborted();
  table ??= openWordTable(file);
  const words = await table.catch((cause: unknown) => {
    table = undefined;
    throw isUnreadable(cause);
  });
  if (texts.length > fewTexts) await words.readAhead();
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (vectors.length % textsPerTurn === textsPerTurn - 1) await setImmediate(undefined, { ref: isAwaited });
    // The file is closed once all embedders are.
    signal.throwIfAborted();
    vectors.push(computeVector(text, words));
  }
  return vectors;
}

/** The vector of a text, scaled to length 1; a text without a known word is near to nothing. */
function computeVector(text: string, words: WordTable): Float32Array {
  const sum = new Float64Array(words.header.dims);
  try {
    eachKnownWord(cutHead(text, maxChars), words, (row) => words.add(row, sum));
  } catch (cause) {
    throw isUnreadable(cause);
  }
  return toUnit(Float32Array.from(sum));
}

function isUnreadable(cause: unknown): EmbedError {
  return new EmbedError(
    "EMBED_MODEL",
    `Cannot read the vectors of the offline model: ${getErrorMessage(cause)}; install haft again`,
    { cause },
  );
}
