import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { EmbedError } from "./errors.ts";
import { type OpenEmbedder, openModel } from "./open-model.ts";

const packageName = "haft-encoder";

/** What the package's `model.json` says of its model. */
interface EncoderModel {
  readonly name: string;
  readonly languages: string;
  readonly megabytes: number;
  readonly license: string;
  /** Cosines of this model; see `Embedder`. */
  readonly likeness: { readonly unrelated: number; readonly related: number };
  /** How much it counts beside words; see `Embedder`. */
  readonly weight?: number;
  /** The SHA-256 of each file: with other files it is another model. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The sentence model of the optional package `haft-encoder`, in a thread that starts with the first text; undefined
 * where the package is not installed.
 *
 * @param from the file from which the package is looked for, by which only an installation of haft decides about it
 * @throws {EmbedError} EMBED_MODEL if what is installed does not say what its model is.
 *
 * @example
 * ```ts
 * const embedder = openEncoderPackage() ?? openPackagedModel();
 * const [vector] = await embedder.embed(["a cup of tea"]);
 * (vector?.length ?? 0) > 0; // → true
 * await embedder.close();
 * ```
 */
export function openEncoderPackage(from: string = import.meta.url): OpenEmbedder | undefined {
  const { resolve } = createRequire(from);
  const description = findFile(resolve);
  if (description === undefined) return undefined;
  try {
    const model = JSON.parse(readFileSync(description, "utf8")) as EncoderModel;
    const { name, languages, megabytes, license, likeness, weight, files } = model;
    const digest = files["model.onnx"]?.slice(0, 16);
    if (digest === undefined) throw new Error("its model.json names no model.onnx");
    const source = { kind: "package", packageName, entry: pathToFileURL(resolve(packageName)).href } as const;
    return openModel(source, `${packageName}/${digest}`, {
      about: `${name} of ${packageName} (${languages}, ${megabytes} MB, ${license})`,
      reads,
      likeness,
      ...(weight !== undefined && { weight }),
    });
  } catch (cause) {
    throw new EmbedError(
      "EMBED_MODEL",
      `Cannot load the model of the package "${packageName}": ${getErrorMessage(cause)}; install it again, or set embedder: offline in tools.search`,
      { cause },
    );
  }
}

/** Thrown where the configuration names the package, and it is not there. */
export function encoderIsMissing(): EmbedError {
  return new EmbedError(
    "EMBED_PACKAGE",
    `Cannot embed texts: the package "${packageName}" is not installed; run npm i ${packageName} where haft is installed, or choose another embedder in tools.search`,
    { details: { packageName } },
  );
}

function findFile(resolve: NodeJS.RequireResolve): string | undefined {
  try {
    return resolve(`${packageName}/model.json`);
  } catch (error) {
    if (getErrorCode(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The model knows English: texts in other scripts than Latin have hardly a word of it. */
function reads(text: string): boolean {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  return count(/\p{Script=Latin}/gu) * 2 >= count(/\p{L}/gu);
}
