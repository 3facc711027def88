import { hash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { writeTinyModel } from "../../../test/support/tiny-model.ts";
import { openEncoderPackage } from "./encoder-package.ts";
import type { OpenEmbedder } from "./open-model.ts";

const root = mkdtempSync(join(tmpdir(), "haft-encoder-"));
afterAll(() => rmSync(root, { recursive: true }));

const own = resolve("packages/haft-encoder");
const hasRuntime = existsSync(join(own, "node_modules/onnxruntime-web"));
const hasWeights = existsSync(join(own, "weights/model.onnx"));
const model = {
  name: "tiny",
  languages: "English",
  megabytes: 1,
  license: "MIT",
  likeness: { unrelated: 0.2, related: 0.4 },
  files: { "model.onnx": "0123456789abcdef0123" },
};
let installations = 0;

/** The place of a haft that lies beside a package `haft-encoder` with these files. */
function install(files: Readonly<Record<string, string>>) {
  const folder = join(root, `${installations++}`);
  const place = join(folder, "node_modules/haft-encoder");
  mkdirSync(place, { recursive: true });
  copyFileSync(join(own, "package.json"), join(place, "package.json"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  return { from: join(folder, "haft.js"), place };
}

function open(from: string): OpenEmbedder {
  const embedder = openEncoderPackage(from);
  if (embedder === undefined) throw new Error("The package is not found");
  onTestFinished(() => embedder.close());
  return embedder;
}

const standIn = `export async function openEncoder() {
  return async (texts) => texts.map((text) => Float32Array.of(text.length, 1));
}`;

test("openEncoderPackage() finds the package beside haft, and runs it in a thread", async () => {
  const { from } = install({ "model.json": JSON.stringify(model), "index.js": standIn });
  const embedder = open(from);
  expect(embedder).toMatchObject({
    id: "haft-encoder/0123456789abcdef",
    about: "tiny of haft-encoder (English, 1 MB, MIT)",
    likeness: model.likeness,
  });
  expect(await embedder.embed(["abc", ""])).toEqual([Float32Array.of(3, 1), Float32Array.of(0, 1)]);
  expect(["Which dog?", "12:30", "我对什么药过敏？"].map((text) => embedder.reads?.(text))).toEqual([
    true,
    true,
    false,
  ]);
});

test("openEncoderPackage() gives nothing where the package is not installed", () => {
  expect(openEncoderPackage(join(root, "nobody.js"))).toBeUndefined();
});

test("openEncoderPackage() says which package is broken", async () => {
  const broken = install({ "model.json": "{}" });
  expect(() => openEncoderPackage(broken.from)).toThrow(/package "haft-encoder".*install it again/);
  const without = install({
    "model.json": JSON.stringify(model),
    "index.js": `import "no-such-runtime"; ${standIn}`,
  });
  await expect(open(without.from).embed(["a"])).rejects.toMatchObject({
    code: "EMBED_PACKAGE",
    message: expect.stringContaining('"no-such-runtime" is not installed'),
  });
  const faulty = install({
    "model.json": JSON.stringify(model),
    "index.js": `export function openEncoder() { throw new Error("no weights"); }`,
  });
  await expect(open(faulty.from).embed(["a"])).rejects.toMatchObject({
    code: "EMBED_MODEL",
    message: expect.stringContaining('the model of the package "haft-encoder": no weights'),
  });
});

test(
  "haft-encoder gives the mean of what its model says of a text's parts, scaled to length 1",
  needs("an ONNX runtime", hasRuntime),
  async () => {
    const { from, place } = install({
      "model.json": JSON.stringify(model),
      "index.js": readFileSync(join(own, "index.js"), "utf8"),
    });
    symlinkSync(join(own, "node_modules"), join(place, "node_modules"));
    writeTinyModel(join(place, "weights"));
    copyFileSync(join(place, "weights/onnx/model.onnx"), join(place, "weights/model.onnx"));
    const [cat, both, long, empty, harmful] = await open(from).embed([
      "cat",
      "cat kitten",
      `${"cat ".repeat(127)}${"kitten ".repeat(10_000)}`,
      "",
      "\ud800\0",
    ]);
    const half = Math.fround(Math.SQRT1_2);
    expect(cat).toEqual(Float32Array.of(1, 0, 0, 0));
    expect(both).toEqual(Float32Array.of(half, half, 0, 0));
    expect(long?.[0]).toBeGreaterThan(0.9999);
    expect(empty).toEqual(new Float32Array(4));
    expect(harmful).toEqual(new Float32Array(4));
  },
);

const made = JSON.parse(readFileSync(join(own, "model.json"), "utf8")) as typeof model;

test(
  "the weights of haft-encoder are those that its model.json names",
  needs("the encoder's weights", hasWeights),
  () => {
    for (const [name, digest] of Object.entries(made.files))
      expect(hash("sha256", readFileSync(join(own, "weights", name))), name).toBe(digest);
  },
);

test(
  "haft-encoder puts a question near the text that answers it",
  needs("the encoder's weights", hasWeights && hasRuntime),
  async () => {
    const texts = [
      "Which animal of mine is scared of loud noises?",
      "My dog Rex hides under the bed when there are fireworks",
      "The insurance of the car costs 300 euros a year",
    ];
    const [question, answer, other] = await open(join(own, "index.js")).embed(texts);
    const cosine = (one?: Float32Array, two?: Float32Array) =>
      one?.reduce((sum, value, at) => sum + value * (two?.[at] ?? 0), 0);
    expect(cosine(question, answer)).toBeGreaterThan(made.likeness.unrelated + 0.1);
    expect(cosine(question, other)).toBeLessThan(made.likeness.unrelated);
  },
);
