import { readdirSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { cutHead } from "../../base/index.ts";
import type { EmbedTexts, ModelSource } from "./model-source.ts";

type TransformersSource = Exclude<ModelSource, { readonly kind: "package" }>;

/** More than the 512 parts of words that such models read. */
const maxChars = 4000;

/** The part of the package that is used here. Its own types are there only where it is installed. */
export interface TransformersModule {
  readonly env: {
    allowLocalModels: boolean;
    allowRemoteModels: boolean;
    localModelPath: string;
    cacheDir: string | null;
  };
  readonly pipeline: (
    task: "feature-extraction",
    model: string,
    options: { readonly dtype?: string },
  ) => Promise<
    (
      texts: readonly string[],
      options: { readonly pooling: "mean"; readonly normalize: true },
    ) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>
  >;
}

/** Loads a model by `@huggingface/transformers`: the mean of what it says of a text's parts, normalised. */
export async function loadTransformers(
  source: TransformersSource,
  loadPackage: () => Promise<TransformersModule> = () => import(transformersPackage),
): Promise<EmbedTexts> {
  const { env, pipeline } = await loadPackage();
  const isLocal = source.kind === "folder";
  env.allowLocalModels = isLocal;
  env.allowRemoteModels = !isLocal;
  if (isLocal) env.localModelPath = dirname(source.folder) + sep;
  else env.cacheDir = source.cacheFolder;
  const extract = isLocal
    ? await pipeline("feature-extraction", basename(source.folder), findDtype(source.folder))
    : await pipeline("feature-extraction", source.model, {});
  return async (texts) => {
    const inputs = texts.map((text) => cutHead(text, maxChars) || " ");
    const { dims, data } = await extract(inputs, { pooling: "mean", normalize: true });
    const [count = 0, length = 0] = dims;
    if (dims.length !== 2 || count !== texts.length || data.length !== count * length)
      throw new Error(`it gave numbers of the form [${dims.join(", ")}] for ${texts.length} texts`);
    // A text of which the model says nothing at all has no direction to be normalised; it is near to nothing then.
    const all = Float32Array.from(data, (value) => (Number.isFinite(value) ? value : 0));
    return texts.map((_, index) => all.slice(index * length, (index + 1) * length));
  };
}

/** Optional, and so not known to the compiler. */
const transformersPackage: string = "@huggingface/transformers";

/** How the package calls the precision of the weights in a file of the folder `onnx`, best first. */
const dtypes: Readonly<Record<string, string>> = {
  "model.onnx": "fp32",
  "model_fp16.onnx": "fp16",
  "model_quantized.onnx": "q8",
  "model_int8.onnx": "int8",
  "model_uint8.onnx": "uint8",
  "model_q4.onnx": "q4",
  "model_q4f16.onnx": "q4f16",
  "model_bnb4.onnx": "bnb4",
};

/** Who keeps a model in a folder often has only one precision of it. */
function findDtype(folder: string): { readonly dtype: string } {
  const files = new Set(readdirSync(join(folder, "onnx")));
  const file = Object.keys(dtypes).find((name) => files.has(name));
  if (file === undefined) throw new Error(`its folder onnx has none of ${Object.keys(dtypes).join(", ")}`);
  return { dtype: dtypes[file] as string };
}
