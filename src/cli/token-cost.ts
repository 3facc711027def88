/** What the counts were made with, for whoever reads them. */
export const tokenizerName = "o200k_base (gpt-tokenizer)";

/** Tokens of each definition, as the JSON that a model API is sent. */
export async function countTokens(definitions: readonly unknown[]): Promise<number[]> {
  const { countTokens: count } = await import("gpt-tokenizer/encoding/o200k_base");
  return definitions.map((definition) => count(JSON.stringify(definition)));
}
