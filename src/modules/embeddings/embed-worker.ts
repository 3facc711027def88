import { parentPort, workerData } from "node:worker_threads";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import type { Batch, EmbedTexts, ModelSource, WorkerAnswer } from "./model-source.ts";

// Nobody reads what libraries print, so that it would only pile up.
process.stdout.write = () => true;
process.stderr.write = () => true;

const source = workerData as ModelSource;
const embed = await load(source);

if (embed !== undefined) {
  parentPort?.on("message", ({ texts }: Batch) => void answerBatch(embed, texts));
  answer({ status: "ready" });
}

async function load(wanted: ModelSource): Promise<EmbedTexts | undefined> {
  try {
    if (wanted.kind !== "package")
      return await (await import("./load-transformers.ts")).loadTransformers(wanted);
    const { openEncoder } = (await import(wanted.entry)) as { openEncoder: () => Promise<EmbedTexts> };
    return await openEncoder();
  } catch (error) {
    answer({ status: "unready", ...missingPackage(error), reason: getErrorMessage(error) });
    return undefined;
  }
}

async function answerBatch(embedTexts: EmbedTexts, texts: readonly string[]): Promise<void> {
  try {
    answer({ status: "done", vectors: await embedTexts(texts) });
  } catch (error) {
    answer({ status: "failed", reason: getErrorMessage(error) });
  }
}

function answer(said: WorkerAnswer): void {
  parentPort?.postMessage(said);
}

function missingPackage(error: unknown): { readonly packageName?: string } {
  const isMissing = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(getErrorCode(error) ?? "");
  const [, packageName] = /Cannot find (?:package|module) '([^']+)'/.exec(getErrorMessage(error)) ?? [];
  return isMissing && packageName !== undefined ? { packageName } : {};
}
