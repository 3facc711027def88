import type { TokenCounter } from "../../search/index.ts";

/** The tokenizer of OpenAI's models since GPT-4o. Takes some 100 ms to load. */
export async function loadO200kCounter(): Promise<TokenCounter> {
  const { countTokens } = await import("./o200k.ts");
  return { name: "o200k_base", exact: true, count: (text) => countTokens(text, plainText) };
}

/** What looks like one of its special tokens is text in a definition, as it is in a message. */
const plainText = { disallowedSpecial: new Set<string>() };
