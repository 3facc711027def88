export {
  type CatalogueTokens,
  chooseExposure,
  type Exposure,
  type ExposureChoice,
  type ExposureCost,
  type ExposureOptions,
  exposures,
  usualInteraction,
} from "./cost/choose-exposure.ts";
export { chooseLoadForm } from "./cost/load-form.ts";
export { type CacheTerms, cacheTerms, type InteractionShape } from "./cost/prompt-cost.ts";
export { estimateTokens, type TokenCounter } from "./cost/tokens.ts";
export { budgetFor, defaultToolBudget, type ToolBudget } from "./cost/tool-budget.ts";
export { type ListedPack, PackCatalogue } from "./packs/pack-catalogue.ts";
export type { FoundPack } from "./packs/pack-ranking.ts";
export {
  centrePacks,
  type InitPackOptions,
  initPackEmbeddings,
  type Pack,
  type PackEmbeddings,
  type PackMessage,
  selectAndCreateTools,
  selectPacks,
} from "./packs/packs.ts";
export type { Embedder, VectorCache } from "./tools/embedder.ts";
export type { IndexStore } from "./tools/index-store.ts";
export type { RankingWeights } from "./tools/ranking-weights.ts";
export { stemWord } from "./tools/stem.ts";
export {
  type FoundTool,
  type FoundTools,
  type PackSearchOptions,
  type RankedPacks,
  type SearchOptions,
  type ToolScores,
  ToolSearch,
  type ToolSearchOptions,
} from "./tools/tool-search.ts";
export type { ToolUse, UsageMemory } from "./tools/usage.ts";
export { type EmbedWords, type NearWord, NearWords } from "./words/near-words.ts";
export { multiplyRows } from "./words/row-products.ts";
