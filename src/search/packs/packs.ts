import { cutHead } from "../../base/index.ts";
import type { PackInfo, Tool } from "../../kernel/index.ts";
import type { Embedder, VectorCache } from "../tools/embedder.ts";
import { LexicalIndex, ordinaryWeight } from "../tools/lexical-index.ts";
import { VectorIndex } from "../tools/vector-index.ts";
import { VectorSource } from "../tools/vector-source.ts";
import { splitTerms } from "../tools/words.ts";
import { nearPacks } from "./pack-ranking.ts";

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

/** The vectors by the name of the pack. */
export type PackEmbeddings = ReadonlyMap<string, Float32Array>;

/**
 * Embeds what each pack says of itself, but for packs that are always loaded. Empty where that fails.
 *
 * @example
 * ```ts
 * const packs: Pack[] = [
 *   { name: "mail", description: "Read and send mail.", alwaysLoad: false, factories: [] },
 * ];
 * const embedder: Embedder = {
 *   id: "lengths",
 *   embed: async (texts) => texts.map(({ length }) => Float32Array.of(length)),
 * };
 * const embeddings = await initPackEmbeddings(packs, embedder);
 * [...embeddings.keys()]; // → ["mail"]
 * ```
 */
export async function initPackEmbeddings(
  packs: readonly Pack<never>[],
  embedder: Embedder,
  { listTools = () => [], cache, signal, onError = () => {} }: InitPackOptions = {},
): Promise<PackEmbeddings> {
  const selectable = packs.filter(({ alwaysLoad }) => !alwaysLoad);
  // Not as work in the background: whoever awaits this would not keep the program alive.
  const awaited: Embedder = { id: embedder.id, embed: (texts, stop) => embedder.embed(texts, stop) };
  const source = new VectorSource({ embedder: awaited, cache, onError });
  const texts = selectable.map((pack) => {
    const lines = listTools(pack).map(({ name, description }) => `${name}: ${description}`);
    return cutHead([`${pack.name}: ${pack.description}`, ...lines].join(" "), longestText);
  });
  const vectors = await source.of(texts, signal ?? new AbortController().signal);
  return new Map(selectable.flatMap(({ name }, at) => (vectors?.[at] ? [[name, vectors[at]]] : [])));
}

/** Sentence models lose the thread of longer ones. */
const longestText = 500;

/** What is embedded for a pack, and where the vectors are kept. */
export interface InitPackOptions {
  /** The tools of a pack, whose texts then count as its own. @default none */
  readonly listTools?: (pack: Pack<never>) => readonly Pick<Tool, "name" | "description">[];
  readonly cache?: VectorCache;
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
}

/**
 * Subtracts from the embeddings of packs what all of them have in common. Most sentence models give nearly any two
 * texts a cosine over 0.3; afterwards 0.3 tells related texts from others. It needs about eight packs.
 *
 * @returns the embeddings, and what does the same to that of a message
 *
 * @example
 * ```ts
 * const packs = new Map([
 *   ["mail", Float32Array.of(1, 0.2)],
 *   ["files", Float32Array.of(1, -0.2)],
 * ]);
 * const { embeddings } = centrePacks(packs);
 * embeddings.size; // → 2
 * (embeddings.get("mail")?.[0] ?? 1) < 0.1; // → true
 * ```
 */
export function centrePacks(embeddings: PackEmbeddings): {
  readonly embeddings: PackEmbeddings;
  readonly centre: (message: Float32Array) => Float32Array;
} {
  const units = new Map(Array.from(embeddings, ([name, vector]) => [name, normalize(vector)]));
  const [first = new Float32Array(0)] = units.values();
  const mean = first.map((_number, at) => {
    return Array.from(units.values()).reduce((sum, vector) => sum + (vector[at] ?? 0), 0) / units.size;
  });
  const centre = (vector: Float32Array) => normalize(vector).map((number, at) => number - (mean[at] ?? 0));
  return { embeddings: new Map(Array.from(embeddings, ([name, vector]) => [name, centre(vector)])), centre };
}

/** The usual threshold for cosines of centred vectors; see {@link centrePacks}. */
const usualThreshold = 0.3;

/**
 * The packs that a message needs, in their order: those always loaded; those whose embedding is at least as near as the
 * threshold; those without an embedding, as nothing speaks against them. Where the message has none, or no pack has
 * one, those whose descriptions share its words.
 *
 * @param threshold a cosine @default 0.3
 *
 * @example
 * ```ts
 * const pack = (name: string, description: string): Pack => ({
 *   name,
 *   description,
 *   alwaysLoad: false,
 *   factories: [],
 * });
 * const packs = [pack("mail", "Read and send mail."), pack("git", "Commits and branches.")];
 * const embeddings = new Map([
 *   ["mail", Float32Array.of(1, 0)],
 *   ["git", Float32Array.of(0, 1)],
 * ]);
 * const message = { text: "write to Bob", embedding: Float32Array.of(0.9, 0.1) };
 * selectPacks(packs, message, embeddings).map(({ name }) => name); // → ["mail"]
 * ```
 */
export function selectPacks<P extends Pack<never>>(
  packs: readonly P[],
  { text, embedding }: PackMessage,
  embeddings: PackEmbeddings,
  threshold: number = usualThreshold,
): readonly P[] {
  const selectable = packs.filter(({ alwaysLoad }) => !alwaysLoad);
  const hasNone = embedding === undefined || !selectable.some(({ name }) => embeddings.has(name));
  const near = hasNone ? packsByWords(selectable, text) : undefined;
  return packs.filter((pack) => {
    if (pack.alwaysLoad) return true;
    if (near !== undefined) return near.has(pack.name);
    const own = embeddings.get(pack.name);
    return embedding === undefined || own === undefined || cosine(own, embedding) >= threshold;
  });
}

/**
 * Makes the tools of the packs that {@link selectPacks} selects.
 *
 * @example
 * ```ts
 * const send = defineTool({
 *   name: "send",
 *   description: "Send a mail.",
 *   parameters: z.object({}),
 *   execute: () => "",
 * });
 * const mail: Pack<object> = {
 *   name: "mail",
 *   description: "Read and send mail.",
 *   alwaysLoad: false,
 *   factories: [() => send],
 * };
 * const tools = selectAndCreateTools([mail], { text: "send Bob a mail" }, new Map(), {});
 * tools.map(({ name }) => name); // → ["send"]
 * ```
 */
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
  const index = new LexicalIndex([ordinaryWeight]);
  for (const [slot, { name, description }] of packs.entries()) {
    index.put(slot, [splitTerms(`${name} ${description}`)]);
  }
  const scores = index.scores(splitTerms(text));
  const ranked = packs
    .map(({ name }, slot) => ({ name, score: scores[slot] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score);
  return new Set(nearPacks(ranked).map(({ name }) => name));
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

function cosine(one: Float32Array, two: Float32Array): number {
  const index = new VectorIndex(one.length);
  index.put(0, one);
  return index.cosines(two)[0] ?? 0;
}
