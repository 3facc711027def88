import { hash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import type { Embedder } from "../../search/index.ts";
import { closed, EmbedError } from "./errors.ts";
import type { ModelSource } from "./model-source.ts";
import { ModelWorker } from "./model-worker.ts";

/** An embedder that holds something until it is closed. */
export interface OpenEmbedder extends Embedder {
  /** The model in words: its name, its languages, its size and its licence. @default its id is all that is known */
  readonly about?: string;
  /** Ends what is asked of it. What a model holds is free once the last that uses it is closed. */
  close(): Promise<void>;
}

/** A model by name, which is downloaded to `cacheFolder` once, or one in a folder of this machine. */
export type TransformersOptions =
  | {
      readonly model: string;
      /** The folder that the model's files are kept in. */
      readonly cacheFolder: string;
    }
  | { /** Absolute, with `config.json`, `tokenizer.json` and `onnx/model.onnx`. */ readonly folder: string };

/**
 * A model of the optional package `@huggingface/transformers`. Of a `model` the package itself gets the files from its
 * hub, at the first text; of a `folder` it gets nothing from anywhere.
 *
 * @throws {EmbedError} EMBED_MODEL if there is no such folder.
 *
 * @example
 * ```ts
 * try {
 *   openTransformersModel({ folder: "/no/model/is/here" });
 * } catch (error) {
 *   (error as EmbedError).code; // → "EMBED_MODEL"
 * }
 * ```
 */
export function openTransformersModel(options: TransformersOptions): OpenEmbedder {
  return "folder" in options
    ? openModel({ kind: "folder", folder: options.folder }, `transformers/${digestOfFolder(options.folder)}`)
    : openModel({ kind: "hub", ...options }, `transformers/${options.model}`);
}

/** One thread a model, however many in this process use it. */
const workers = new Map<string, { readonly worker: ModelWorker; users: number }>();

/** An embedder of a model in a thread. @param known what is known of the model beside its id */
export function openModel(
  source: ModelSource,
  id: string,
  known: Pick<OpenEmbedder, "about" | "reads" | "likeness" | "weight"> = {},
): OpenEmbedder {
  const key = JSON.stringify(source);
  const shared = workers.get(key) ?? { worker: createWorker(source), users: 0 };
  workers.set(key, shared);
  shared.users++;
  const end = new AbortController();
  const embedder = (inBackground: boolean): Embedder => ({
    id,
    embed: (texts, signal) =>
      shared.worker.embed(texts, {
        inBackground,
        signal: signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]),
      }),
  });
  return {
    ...embedder(false),
    ...known,
    background: embedder(true),
    close: async () => {
      if (end.signal.aborted) return;
      end.abort(closed());
      shared.users--;
      if (shared.users > 0) return;
      workers.delete(key);
      await shared.worker.close();
    },
  };
}

function createWorker(source: ModelSource): ModelWorker {
  // The files of a model may be some hundred megabytes, and come over a slow line.
  return new ModelWorker({ source, loadMs: source.kind === "hub" ? 1_800_000 : 120_000 });
}

/** Changes with the model's files: vectors of another model are of no use. */
function digestOfFolder(folder: string): string {
  try {
    const files = [folder, join(folder, "onnx")].flatMap((parent) =>
      readdirSync(parent, { withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => {
          const { size, mtimeMs } = statSync(join(parent, name));
          return [parent, name, size, mtimeMs].join("\0");
        }),
    );
    return hash("sha256", files.sort().join("\n")).slice(0, 32);
  } catch (cause) {
    throw new EmbedError(
      "EMBED_MODEL",
      `Cannot load the model in "${folder}": ${getErrorMessage(cause)}; name a folder that has config.json, tokenizer.json and onnx/model.onnx`,
      { cause },
    );
  }
}
