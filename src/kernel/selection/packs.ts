import type { Tool } from "../tool.ts";
import type { Embedder, VectorCache } from "./embedder.ts";
import { LexicalIndex } from "./lexical-index.ts";
import type { PackInfo } from "./pack-catalogue.ts";
import { nearPacks } from "./pack-ranking.ts";
import { VectorIndex } from "./vector-index.ts";
import { VectorSource } from "./vector-source.ts";
import { termsOf } from "./words.ts";

/** Related tools that are made and shown together. */
export interface Pack<Services = unknown> extends PackInfo {
  /** True: selected whatever the message says. */
  readonly alwaysLoad: boolean;
  /** Each makes one tool of what is there, or null where that is not enough for it. */
  readonly factories: readonly ((services: Services) => Tool | null)[];
}

/** What packs are selected for. */
export interface PackMessage {
  readonly text: string;
  /** Absent where none could be made: then the words decide. */
  readonly embedding?: Float32Array | undefined;
}

/** By the name of the pack. */
export type PackEmbeddings = ReadonlyMap<string, Float32Array>;

/** Vectors of the descriptions of all packs that are not always loaded; empty where they can't be made. */
export async function initPackEmbeddings(
  packs: readonly Pack<never>[],
  embedder: Embedder,
  { cache, signal, onError = () => {} }: InitPackOptions = {},
): Promise<PackEmbeddings> {
  const selectable = packs.filter(({ alwaysLoad }) => !alwaysLoad);
  const source = new VectorSource({ embedder, cache, onError });
  const texts = selectable.map(({ name, description }) => `${name}: ${description}`);
  const vectors = await source.of(texts, signal ?? new AbortController().signal);
  return new Map(selectable.flatMap(({ name }, at) => (vectors?.[at] ? [[name, vectors[at]]] : [])));
}

export interface InitPackOptions {
  readonly cache?: VectorCache;
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
}

/** As seed 000 has it. With most sentence models nearly all texts are nearer than that: see {@link ToolSearch.findPacks}. */
const usualThreshold = 0.3;

/**
 * The packs that a message needs, in their order: those always loaded; those whose embedding is at least as near as the
 * threshold; those without an embedding, as nothing speaks against them. Where the message has none, those whose
 * descriptions share its words.
 *
 * @param threshold a cosine
 */
export function selectPacks<P extends Pack<never>>(
  packs: readonly P[],
  { text, embedding }: PackMessage,
  embeddings: PackEmbeddings,
  threshold: number = usualThreshold,
): readonly P[] {
  const selectable = packs.filter(({ alwaysLoad }) => !alwaysLoad);
  const near = embedding === undefined ? packsByWords(selectable, text) : undefined;
  return packs.filter((pack) => {
    if (pack.alwaysLoad) return true;
    if (near !== undefined) return near.has(pack.name);
    const own = embeddings.get(pack.name);
    return embedding === undefined || own === undefined || cosine(own, embedding) >= threshold;
  });
}

/** The tools of the packs that {@link selectPacks} selects. */
export function selectAndCreateTools<Services>(
  packs: readonly Pack<Services>[],
  message: PackMessage,
  embeddings: PackEmbeddings,
  services: Services,
  threshold?: number,
): readonly Tool[] {
  return selectPacks(packs as readonly Pack<never>[], message, embeddings, threshold)
    .flatMap((pack) => (pack as Pack<Services>).factories.map((create) => create(services)))
    .filter((tool) => tool !== null);
}

function packsByWords(packs: readonly Pack<never>[], text: string): ReadonlySet<string> {
  const index = new LexicalIndex([{ weight: 1, lengthPenalty: 0.3 }]);
  for (const [slot, { name, description }] of packs.entries()) {
    index.put(slot, [termsOf(`${name} ${description}`)]);
  }
  const scores = index.scores(termsOf(text));
  const ranked = packs
    .map(({ name }, slot) => ({ name, score: scores[slot] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score);
  return new Set(nearPacks(ranked).map(({ name }) => name));
}

function cosine(one: Float32Array, two: Float32Array): number {
  const index = new VectorIndex(one.length);
  index.put(0, one);
  return index.cosines(two)[0] ?? 0;
}
