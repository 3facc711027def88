import type { LLMTarget } from "../../kernel/index.ts";

/** What a provider asks for cached input, with a token of uncached input as 1. */
export interface CacheTerms {
  /** A token that is written to the cache. */
  readonly write: number;
  /** A token that is read from it. */
  readonly read: number;
  /** Shorter beginnings are not cached. */
  readonly leastTokens: number;
  /** A token of output. */
  readonly output: number;
}

/**
 * The terms that the providers list, 2026: Anthropic's 5-minute cache (Sonnet 4.6), OpenAI's automatic one
 * (gpt-5 series), Gemini's implicit one (2.5; hits are not promised). Who stands behind an MCP client is not
 * known: the dearest of each.
 */
export const cacheTerms: Readonly<Record<LLMTarget, CacheTerms>> = {
  anthropic: { write: 1.25, read: 0.1, leastTokens: 1024, output: 5 },
  openai: { write: 1, read: 0.1, leastTokens: 1024, output: 6 },
  "openai-strict": { write: 1, read: 0.1, leastTokens: 1024, output: 6 },
  gemini: { write: 1, read: 0.1, leastTokens: 2048, output: 8 },
  mcp: { write: 1.25, read: 0.1, leastTokens: 2048, output: 8 },
};

/** One conversation about one task. */
export interface InteractionShape {
  /** The requests to the model for the work itself. */
  readonly requests: number;
  /** The number of tools used among those that are not always shown. */
  readonly toolsUsed: number;
  /** What stands behind the definitions in the first request: the system prompt, the task. */
  readonly otherTokens: number;
  /** What each request adds for the next: the model's answer, the results of its calls. */
  readonly addedTokens: number;
  /** What the model puts out to search or to load. */
  readonly callTokens: number;
}

/** One request to the model. */
export interface Turn {
  /** They stand at the front, and what is loaded is added at their end. */
  readonly definitions: number;
  /** The tokens that are added to what stands behind the definitions, from the next request on. */
  readonly added: number;
  /** Whether it was made for finding tools, and nothing else. */
  readonly finds: boolean;
}

export interface PromptCost {
  /** The tokens of all prompts, and of output for finding tools. */
  readonly tokens: number;
  /** The same in tokens of uncached input. */
  readonly cost: number;
}

/**
 * Adds up the requests of one interaction. The cache holds the prompt of the request before: the same list leaves all
 * of it valid, a longer one only its own beginning.
 */
export function simulateInteraction(
  turns: readonly Turn[],
  { otherTokens, callTokens }: Pick<InteractionShape, "otherTokens" | "callTokens">,
  { write, read, leastTokens, output }: CacheTerms,
): PromptCost {
  let tokens = 0;
  let cost = 0;
  let behind = otherTokens;
  let last = { definitions: 0, prompt: 0 };
  for (const { definitions, added, finds } of turns) {
    const prompt = definitions + behind;
    const kept = definitions === last.definitions ? last.prompt : Math.min(definitions, last.definitions);
    const hit = kept < leastTokens ? 0 : kept;
    const fresh = prompt - hit;
    tokens += prompt + (finds ? callTokens : 0);
    cost += hit * read + fresh * (prompt < leastTokens ? 1 : write) + (finds ? callTokens * output : 0);
    last = { definitions, prompt };
    behind += added;
  }
  return { tokens, cost };
}
