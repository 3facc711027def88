import { usualInteraction } from "./choose-exposure.ts";
import { type CacheTerms, simulateInteraction, type Turn } from "./prompt-cost.ts";

/** The size of a conversation into which tools are loaded, in tokens. */
export interface LoadedInto {
  /** The whole of the next request, without what is loaded. */
  readonly request: number;
  /** The definitions that are loaded. */
  readonly loaded: number;
}

/**
 * How tools that are loaded in the middle of a conversation are put before the model. `native`: among its definitions, so
 * that what a provider has cached is read anew. `called`: at the end of the conversation, and each call goes through
 * `call_tool`, which is more to write.
 */
export type LoadForm = "native" | "called";

/** The requests after the loading, each with a call of what is loaded. */
const { requests, addedTokens } = usualInteraction;
/** The name and the arguments of a call, wrapped in the arguments of another. */
const wrappingTokens = 50;

/**
 * Chooses the form that costs less over the next calls of what is loaded: from about 4,000 tokens on, that is not to touch
 * the beginning. Whether definitions come first in a request differs by provider, so all that is cached counts as lost.
 *
 * @param cache The provider's terms. Undefined: it caches nothing.
 *
 * @example
 * ```ts
 * chooseLoadForm({ request: 1_500, loaded: 300 }, cacheTerms.anthropic); // → "native"
 * chooseLoadForm({ request: 20_000, loaded: 300 }, cacheTerms.anthropic); // → "called"
 * chooseLoadForm({ request: 20_000, loaded: 300 }, undefined); // → "native"
 * ```
 */
export function chooseLoadForm(into: LoadedInto, cache: CacheTerms | undefined): LoadForm {
  if (cache === undefined) return "native";
  return computeCost(into, "native", cache) <= computeCost(into, "called", cache) ? "native" : "called";
}

function computeCost({ request, loaded }: LoadedInto, form: LoadForm, cache: CacheTerms): number {
  const isNative = form === "native";
  // The first turn is the request before the loading, which fills the cache.
  const turns: Turn[] = [
    { definitions: 0, added: isNative ? 0 : loaded, finds: false },
    ...Array.from({ length: requests }, () => ({
      definitions: isNative ? loaded : 0,
      added: addedTokens + (isNative ? 0 : wrappingTokens),
      finds: !isNative,
    })),
  ];
  const callTokens = isNative ? 0 : wrappingTokens;
  return simulateInteraction(turns, { otherTokens: request, callTokens }, cache).cost;
}
