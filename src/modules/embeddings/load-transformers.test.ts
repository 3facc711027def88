import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { writeTinyModel } from "../../../test/support/tiny-model.ts";
import { loadTransformers, type TransformersModule } from "./load-transformers.ts";
import { openTransformersModel } from "./open-model.ts";

const root = mkdtempSync(join(tmpdir(), "haft-transformers-"));
afterAll(() => rmSync(root, { recursive: true }));

const isInstalled = existsSync("node_modules/@huggingface/transformers");
let folders = 0;

function folderWith(...files: readonly string[]): string {
  const folder = join(root, `model-${folders++}`);
  mkdirSync(join(folder, "onnx"), { recursive: true });
  for (const file of files) writeFileSync(join(folder, "onnx", file), "");
  return folder;
}

/** A module of the same form, which notes what it is told. A text's vector is its length, and one. */
function standIn(dims = (count: number): number[] => [count, 2]) {
  const told: unknown[] = [];
  const env = { allowLocalModels: true, allowRemoteModels: true, localModelPath: "", cacheDir: "" };
  const module: TransformersModule = {
    env,
    pipeline: async (...load) => {
      told.push(load);
      return async (texts, options) => {
        told.push([texts, options]);
        return { dims: dims(texts.length), data: texts.flatMap((text) => [text.length, 1]) };
      };
    },
  };
  return { told, env, load: async () => module };
}

test("loadTransformers() reads a folder and allows nothing else", async () => {
  const { told, env, load } = standIn();
  const folder = folderWith("model_quantized.onnx", "model_q4.onnx");
  const embed = await loadTransformers({ kind: "folder", folder }, load);
  expect(env).toMatchObject({ allowLocalModels: true, allowRemoteModels: false, localModelPath: `${root}/` });
  expect(await embed(["abc", "", "x".repeat(9_000)])).toEqual([
    Float32Array.of(3, 1),
    Float32Array.of(1, 1),
    Float32Array.of(4_000, 1),
  ]);
  expect(told).toEqual([
    ["feature-extraction", "model-0", { dtype: "q8" }],
    [["abc", " ", "x".repeat(4_000)], { pooling: "mean", normalize: true }],
  ]);
});

test("loadTransformers() has the package get a named model, and keeps it where it is told", async () => {
  const { told, env, load } = standIn();
  await loadTransformers({ kind: "hub", model: "some/model", cacheFolder: "/cache" }, load);
  expect(env).toMatchObject({ allowLocalModels: false, allowRemoteModels: true, cacheDir: "/cache" });
  expect(told).toEqual([["feature-extraction", "some/model", {}]]);
});

test("loadTransformers() refuses a folder without weights, and numbers of another form", async () => {
  const folder = folderWith("other.onnx");
  await expect(loadTransformers({ kind: "folder", folder }, standIn().load)).rejects.toThrow(
    "none of model.onnx",
  );
  const { load } = standIn((count) => [count, 7, 2]);
  const embed = await loadTransformers({ kind: "folder", folder: folderWith("model.onnx") }, load);
  await expect(embed(["a"])).rejects.toThrow("numbers of the form [1, 7, 2] for 1 texts");
});

test("openTransformersModel() names another model when the files in its folder change", () => {
  const folder = folderWith("model.onnx");
  const before = openTransformersModel({ folder });
  const same = openTransformersModel({ folder });
  writeFileSync(join(folder, "onnx", "model.onnx"), "other weights");
  const after = openTransformersModel({ folder });
  expect(same.id).toBe(before.id);
  expect(after.id).not.toBe(before.id);
  expect(() => openTransformersModel({ folder: join(root, "none") })).toThrow(
    expect.objectContaining({ code: "EMBED_MODEL" }),
  );
});

test(
  "openTransformersModel() says which package is missing",
  needs("no transformers", !isInstalled),
  async () => {
    const embedder = openTransformersModel({ folder: folderWith("model.onnx") });
    await expect(embedder.embed(["a"])).rejects.toMatchObject({
      code: "EMBED_PACKAGE",
      message: expect.stringContaining('"@huggingface/transformers" is not installed'),
    });
    await embedder.close();
  },
);

test(
  "openTransformersModel() runs a model that lies in a folder",
  needs("transformers", isInstalled),
  async () => {
    const folder = join(root, "tiny");
    writeTinyModel(folder);
    const embedder = openTransformersModel({ folder });
    const [cat, kitten, both] = await embedder.embed(["cat", "kitten", "cat kitten", ""]);
    expect(cat).toHaveLength(4);
    expect(both).toEqual(cat?.map((value, index) => (value + (kitten?.[index] ?? 0)) / Math.SQRT2));
    await embedder.close();
  },
);
