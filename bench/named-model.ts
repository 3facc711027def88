import { join } from "node:path";
import {
  type OpenEmbedder,
  openEncoderPackage,
  openPackagedModel,
  withPackagedWords,
} from "../src/modules/embeddings/index.ts";

/** The model that a run is told to measure: offline, encoder or none. */
export function openNamed(name: string): OpenEmbedder | undefined {
  if (name === "none") return undefined;
  if (name === "offline") return openPackagedModel();
  const encoder = openEncoderPackage(join(import.meta.dirname, "../packages/haft-encoder/haft.js"));
  if (encoder === undefined) throw new RangeError(`Cannot measure "${name}": make it by scripts/encoder`);
  return withPackagedWords(encoder);
}
