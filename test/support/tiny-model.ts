import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat", "kitten", "car"];
const width = 4;
/** What the model says of each word: nothing of the marks around a text, and one direction for each other. */
const rows = vocabulary.map((_, index) =>
  Array.from({ length: width }, (_, at) => (index - 4 === at + 1 ? 1 : 0)),
);

/**
 * A whole model in a folder, as `@huggingface/transformers` reads it: each word is looked up in a table. It is an ONNX
 * file like any other, and so small that it can be written here.
 */
export function writeTinyModel(folder: string): void {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeFileSync(join(folder, "onnx", "model.onnx"), onnxModel());
  const config = {
    model_type: "bert",
    architectures: ["BertModel"],
    hidden_size: width,
    vocab_size: vocabulary.length,
  };
  const files = {
    "config.json": config,
    "tokenizer.json": tokenizer(),
    "tokenizer_config.json": tokenizerConfig,
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
}

const tokenizerConfig = {
  tokenizer_class: "BertTokenizer",
  model_max_length: 64,
  pad_token: "[PAD]",
  unk_token: "[UNK]",
  cls_token: "[CLS]",
  sep_token: "[SEP]",
  mask_token: "[MASK]",
};

function tokenizer(): object {
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: vocabulary.slice(0, 5).map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
}

/** ModelProto: one Gather of a table by `input_ids`. Numbers are those of the fields in onnx.proto. */
function onnxModel(): Uint8Array {
  const [float, int64] = [1, 7];
  const table = message(
    ...[vocabulary.length, width].map((size) => number(1, size)),
    number(2, float),
    text(8, "table"),
    bytes(9, new Uint8Array(Float32Array.from(rows.flat()).buffer)),
  );
  const gather = message(
    text(1, "table"),
    text(1, "input_ids"),
    text(2, "last_hidden_state"),
    text(4, "Gather"),
  );
  const graph = message(
    bytes(1, gather),
    text(2, "tiny"),
    bytes(5, table),
    bytes(11, tensor("input_ids", int64, "batch", "words")),
    bytes(12, tensor("last_hidden_state", float, "batch", "words", width)),
  );
  return message(number(1, 8), bytes(7, graph), bytes(8, message(number(2, 13))));
}

function tensor(name: string, type: number, ...sizes: readonly (string | number)[]): Uint8Array {
  const shape = sizes.map((size) =>
    bytes(1, message(typeof size === "number" ? number(1, size) : text(2, size))),
  );
  return message(
    text(1, name),
    bytes(2, message(bytes(1, message(number(1, type), bytes(2, message(...shape)))))),
  );
}

function message(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

function number(field: number, value: number): Uint8Array {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytes(field: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

function text(field: number, value: string): Uint8Array {
  return bytes(field, new TextEncoder().encode(value));
}

function varint(value: number): Uint8Array {
  const parts: number[] = [];
  for (let rest = value; parts.length === 0 || rest > 0; rest >>>= 7)
    parts.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Uint8Array.from(parts);
}
