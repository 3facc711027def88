import { type Clock, cutHead, systemClock } from "../../base/index.ts";
import type { ToolInfo, ToolRegistry, ToolView } from "../../kernel/index.ts";
import { getPackName } from "../../kernel/index.ts";
import type { PackCatalogue } from "../packs/pack-catalogue.ts";
import { PackIndex } from "../packs/pack-index.ts";
import { type FoundPack, fusePacks, nearPacks } from "../packs/pack-ranking.ts";
import { findDependencies } from "./dependencies.ts";
import type { Embedder, VectorCache } from "./embedder.ts";
import type { IndexStore } from "./index-store.ts";
import { NearTerms } from "./near-terms.ts";
import type { RankingWeights } from "./ranking-weights.ts";
import { ToolDocuments } from "./tool-documents.ts";
import type { ToolQuery, ToolRanking } from "./tool-index.ts";
import type { UsageMemory } from "./usage.ts";
import { VectorSource } from "./vector-source.ts";
import { splitSentences } from "./words.ts";

/** What a search works with. The registry and its packs are enough; each other part makes it find more. */
export interface ToolSearchOptions {
  readonly registry: ToolRegistry;
  readonly packs: PackCatalogue;
  /** A function is called once, when the first vectors are needed. @default none: the words decide */
  readonly embedder?: Embedder | (() => Promise<Embedder | undefined>);
  readonly vectors?: VectorCache;
  /** @default none: nothing is learnt */
  readonly usage?: UsageMemory;
  readonly index?: IndexStore;
  /** How much each kind of evidence counts. @default as measured on public sets */
  readonly weights?: RankingWeights;
  readonly clock?: Clock;
  /** Told of what goes wrong in the background; the search goes on with what it has. */
  readonly onError?: (error: unknown) => void;
  /** Told how many of the tools have their vectors. */
  readonly onProgress?: (made: number, of: number) => void;
}

/** Which tools may be found, for whom, and how many. */
export interface SearchOptions {
  /** @default 10 */
  readonly limit?: number;
  /** The caller's tools: only those that it may call are found. @default all */
  readonly toolset?: Pick<ToolView, "usable">;
  /** The scope whose uses count. @default "local" */
  readonly scope?: string;
  /** Only tools of this one. */
  readonly pack?: string;
  readonly signal?: AbortSignal;
}

/** Options of a search for packs. */
export type PackSearchOptions = Omit<SearchOptions, "limit" | "pack">;

/** Packs ranked for a goal. */
export interface RankedPacks {
  /** Every pack that has tools, best first. */
  readonly all: readonly FoundPack[];
  /** Those of them that {@link ToolSearch.findPacks} returns. */
  readonly near: readonly FoundPack[];
  readonly by: "words" | "words and vectors";
}

/** The result of a search. */
export interface FoundTools {
  /** Best first; after them what they depend on. */
  readonly found: readonly FoundTool[];
  readonly by: "words" | "words and vectors";
  /** Why the words alone decided, or why what is found, if anything, may not fit; in sentences. */
  readonly note?: string;
}

/** A tool that was found, with what speaks for it. */
export interface FoundTool {
  readonly tool: ToolInfo;
  /** What it was ranked by: its total, less what the tools before it answer already. */
  readonly score: number;
  readonly scores: ToolScores;
  /** The name of a tool above whose arguments come from this one. */
  readonly neededBy?: string;
}

/** Standard deviations from the mean of all tools. */
export interface ToolScores {
  /** The rank, from 1 on. */
  readonly rank: number;
  readonly words: number;
  /** The part of the vectors as it counts: with their weight. */
  readonly vectors?: number;
  /** How much of the total comes from earlier uses. Only where one tool is explained. */
  readonly usage?: number;
  readonly total: number;
}

const usualLimit = 10;
const longestGoal = 2000;
/** A search does not wait longer for the vector of its goal. */
const patienceMs = 2000;
/** Below it the tools that have vectors would be ranked against those that have none. */
const leastWithVectors = 0.9;

/**
 * Finds tools by what they are needed for. It follows the registry; vectors are made in the background, and until they
 * are there words decide.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * for (const [name, description] of [
 *   ["send_mail", "Send a mail to somebody."],
 *   ["git_log", "List the last commits."],
 * ] as const)
 *   registry.register(defineTool({ name, description, parameters: z.object({}), execute: () => "" }));
 * const search = new ToolSearch({ registry, packs: new PackCatalogue(registry) });
 * const { found } = await search.search("which commits came last");
 * found[0]?.tool.name; // → "git_log"
 * await search.close();
 * ```
 */
export class ToolSearch {
  readonly #options: ToolSearchOptions;
  readonly #clock: Clock;
  readonly #documents: ToolDocuments;
  readonly #source: VectorSource;
  readonly #nearTerms: NearTerms;
  readonly #packs = new PackIndex();
  readonly #closed = new AbortController();

  constructor(options: ToolSearchOptions) {
    const { registry, packs, embedder, vectors: cache, onError = () => {}, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#source = new VectorSource({ embedder, cache, onError });
    this.#documents = new ToolDocuments({
      registry,
      clock,
      onError,
      source: this.#source,
      signal: this.#closed.signal,
      usage: options.usage,
      store: options.index,
      onProgress: options.onProgress ?? (() => {}),
      packText: (pack) => packs.get(pack)?.description,
      onPackChange: (pack) => this.#packs.changed(pack),
    });
    this.#nearTerms = new NearTerms(this.#documents, (words) =>
      this.#source.ofWords(words, this.#closed.signal),
    );
  }

  /** @throws the reason of `signal` once that is aborted */
  async search(goal: string, options: SearchOptions = {}): Promise<FoundTools> {
    const { limit = usualLimit, pack } = options;
    const { ranking, note, byVectors } = await this.#rank(goal, options);
    const findTool = (slot: number) => this.#documents.at(slot)?.tool;
    const top = ranking.order(limit, (slot) => {
      const tool = findTool(slot);
      if (tool === undefined || (pack !== undefined && getPackName(tool) !== pack)) return false;
      return byVectors || ranking.hasWords(slot);
    });
    const found = top.flatMap(({ slot, score }, at): FoundTool[] => {
      const tool = findTool(slot);
      return tool === undefined
        ? []
        : [{ tool, score, scores: { rank: at + 1, ...ranking.getScores(slot) } }];
    });
    const told = [whereWordsFail(top.map(({ slot }) => ranking.hasWords(slot))), note]
      .filter((text) => text !== undefined)
      .join(" ");
    return {
      found: [...found, ...this.#dependencies(found, ranking, options)],
      by: byVectors ? "words and vectors" : "words",
      ...(told !== "" && { note: told }),
    };
  }

  /** The packs near the goal: those about as near as the nearest, at least one and at most three. */
  async findPacks(goal: string, options: PackSearchOptions = {}): Promise<readonly FoundPack[]> {
    return (await this.rankPacks(goal, options)).near;
  }

  /** All packs, the nearest to the goal first, and by what they were ranked. */
  async rankPacks(goal: string, options: PackSearchOptions = {}): Promise<RankedPacks> {
    const { terms, vector } = await this.#query(goal, options, { sentences: false });
    const searched = this.#documents.searched(this.#usable(options));
    const index = await this.#documents.getIndex(options.scope);
    const { tools } = this.#options.registry.snapshot();
    const evidence = {
      words: this.#packs.scores(terms, tools, (name) => this.#options.packs.get(name)),
      toolWords: index.words.scores(terms),
      cosines: vector === undefined ? undefined : index.cosines(vector),
    };
    const all = fusePacks(searched.packs, evidence);
    return { all, near: nearPacks(all), by: vector === undefined ? "words" : "words and vectors" };
  }

  /** The rank of a tool for a goal, and the scores it has it by. Undefined for one that is not there, or that may not be called. */
  async explain(goal: string, name: string, options: SearchOptions = {}): Promise<ToolScores | undefined> {
    const { ranking, query } = await this.#rank(goal, options);
    const document = this.#documents.get(name);
    const searched = this.#documents.searched(this.#usable(options));
    if (document === undefined || !searched.slots.includes(document.slot)) return undefined;
    const { slot } = document;
    const scores = ranking.getScores(slot);
    const { weights } = this.#options;
    const unlearnt = this.#documents.unlearnt.rank(query, searched, this.#before, weights).getScores(slot);
    const usage = scores.total - unlearnt.total;
    return { rank: ranking.getRank(slot), ...scores, ...(usage !== 0 && { usage }) };
  }

  /** Remembers that a tool served a goal: it is found again for others like it. */
  async learn({ goal, toolName, scope }: { goal: string; toolName: string; scope?: string }): Promise<void> {
    await this.#documents.learn(scope, { toolName, goal: cutHead(goal, longestGoal), at: this.#clock.now() });
  }

  /** Resolves once every tool is indexed and has its vector, or none can be made. */
  async ready(): Promise<void> {
    await this.#documents.ready();
  }

  /** Tools with a vector, of those there are. */
  progress(): { made: number; of: number } {
    return this.#documents.progress();
  }

  /** Keeps the index, and ends what runs in the background. */
  async close(): Promise<void> {
    this.#closed.abort(new Error("The search is closed"));
    await this.#documents.close();
  }

  async #rank(
    goal: string,
    options: SearchOptions,
  ): Promise<{ ranking: ToolRanking; query: ToolQuery; note: string | undefined; byVectors: boolean }> {
    const asked = await this.#query(goal, options);
    const text = cutHead(goal, longestGoal);
    const near = asked.vector === undefined ? undefined : await this.#nearTerms.find(text, asked.terms);
    const query = { ...asked, near };
    const index = await this.#documents.getIndex(options.scope);
    const searched = this.#documents.searched(this.#usable(options));
    const byVectors = query.vector !== undefined;
    return {
      ranking: index.rank(query, searched, this.#before, this.#options.weights),
      query,
      note: byVectors ? undefined : this.#whyWords(),
      byVectors,
    };
  }

  /** @param compared `sentences`: each sentence gets a vector too, where the goal has several */
  async #query(
    goal: string,
    { signal }: SearchOptions,
    compared: { readonly sentences: boolean } = { sentences: true },
  ): Promise<ToolQuery> {
    signal?.throwIfAborted();
    await this.#documents.settled();
    const text = cutHead(goal, longestGoal);
    const sentences = splitSentences(text);
    const { made, of } = this.progress();
    const apart = compared.sentences && sentences.length > 1 ? sentences : [];
    const parts = [text, ...apart.map((sentence) => sentence.text)];
    const vectors = made < of * leastWithVectors || made === 0 ? undefined : await this.#embed(parts, signal);
    signal?.throwIfAborted();
    const [vector, ...sentenceVectors] = vectors ?? [];
    const terms = sentences.map((sentence) => sentence.terms);
    return {
      terms: [...new Set(terms.flat())],
      sentences: terms,
      vector,
      sentenceVectors,
    };
  }

  async #embed(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[] | undefined> {
    const late = new AbortController();
    const cancel = this.#clock.after(patienceMs, () =>
      late.abort(new Error("The sentence model takes too long")),
    );
    const signals = [late.signal, this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    const any = AbortSignal.any(signals);
    const given = Promise.withResolvers<undefined>();
    any.addEventListener("abort", () => given.resolve(undefined), { once: true });
    try {
      return await Promise.race([this.#source.ofQuery(texts, any), given.promise]);
    } finally {
      cancel();
    }
  }

  #whyWords(): string {
    const { made, of } = this.progress();
    const { fault } = this.#source;
    if (fault !== undefined) return `Ranked by words alone: ${fault}.`;
    if (made < of) return `Ranked by words alone: ${made} of ${of} vectors are made so far.`;
    return "Ranked by words alone: the sentence model takes too long.";
  }

  #dependencies(
    found: readonly FoundTool[],
    ranking: ToolRanking,
    options: SearchOptions,
  ): readonly FoundTool[] {
    if (found.every(({ tool }) => (tool.dependsOn ?? []).length === 0)) return [];
    const usable = new Map(this.#usable(options).map((tool) => [tool.name, tool]));
    const tools = found.map(({ tool }) => tool);
    return findDependencies(tools, (name) => usable.get(name), found.length).map(({ tool, neededBy }, at) => {
      const slot = this.#documents.get(tool.name)?.slot;
      const scores = slot === undefined ? { words: 0, total: 0 } : ranking.getScores(slot);
      return { tool, neededBy, score: scores.total, scores: { rank: found.length + at + 1, ...scores } };
    });
  }

  #usable({ toolset }: SearchOptions): readonly ToolInfo[] {
    return toolset?.usable() ?? this.#options.registry.snapshot().tools;
  }

  readonly #before = (slot: number, other: number): boolean => {
    const [one, two] = [this.#documents.at(slot), this.#documents.at(other)];
    return (one?.tool.name ?? "") < (two?.tool.name ?? "");
  };
}

/** Some tool is always the nearest: a reader is told where nothing else speaks for it. */
function whereWordsFail(haveWords: readonly boolean[]): string | undefined {
  if (haveWords.length === 0) return "No tool has a word of this goal.";
  if (haveWords.includes(true)) return undefined;
  return "No tool has a word of this goal: these are the nearest in meaning, and perhaps none fits.";
}
