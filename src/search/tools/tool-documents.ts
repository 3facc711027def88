import { type Clock, systemClock } from "../../base/index.ts";
import type { ToolRegistry } from "../../kernel/index.ts";
import { getPackName, selectionToolNames, type ToolInfo, toToolInfo } from "../../kernel/index.ts";
import { fingerprint } from "./fingerprint.ts";
import type { IndexStore } from "./index-store.ts";
import { decodeIndex, encodeIndex, keptForm } from "./kept-index.ts";
import { LexicalIndex } from "./lexical-index.ts";
import { ScopedIndexes } from "./scoped-indexes.ts";
import { groupTools, type SearchedTools } from "./searched-tools.ts";
import { type ToolDocument, ToolIndex } from "./tool-index.ts";
import { sentenceOfTool, type ToolText, textOfTool, toolWeights } from "./tool-text.ts";
import type { ToolUse, UsageMemory } from "./usage.ts";
import type { VectorSource } from "./vector-source.ts";

export interface ToolDocumentsOptions {
  readonly registry: ToolRegistry;
  readonly source: VectorSource;
  /** Ends what runs in the background. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly usage: UsageMemory | undefined;
  readonly store: IndexStore | undefined;
  readonly onError: (error: unknown) => void;
  readonly onProgress: (made: number, of: number) => void;
  /** What is known of a pack beside its name. */
  readonly packText: (pack: string) => string | undefined;
  /** Told of each pack whose tools change. */
  readonly onPackChange: (pack: string) => void;
}

/** How many tools are indexed before others get their turn. */
const toolsPerSlice = 100;
/** How many vectors are asked of the cache at once. */
const vectorsPerRound = 64;
/** The index is kept this long after the last change. */
const saveAfterMs = 5000;

/** The tools of the registry as documents of the index, brought up to date when somebody asks. */
export class ToolDocuments {
  readonly #options: ToolDocumentsOptions;
  readonly #byName = new Map<string, ToolDocument>();
  readonly #bySlot: (ToolDocument | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #changed: Set<string>;
  readonly #lacking = new Set<ToolDocument>();
  readonly #searched = new WeakMap<
    readonly ToolInfo[],
    { readonly version: number; readonly tools: SearchedTools }
  >();
  /** The texts of packs while the tools are brought up to date: each pack is asked once. */
  readonly #packTexts = new Map<string, string>();
  readonly #unfollow: () => void;
  #scopes: ScopedIndexes | undefined;
  #index = new ToolIndex();
  #version = 0;
  #settling: Promise<void> | undefined;
  #embedding: Promise<void> | undefined;
  #opened = false;
  #unsaved = false;
  #cancelSave = () => {};

  constructor(options: ToolDocumentsOptions) {
    this.#options = options;
    const { registry } = options;
    this.#changed = new Set(registry.snapshot().tools.map(({ name }) => name));
    this.#unfollow = registry.onChange(({ names }) => {
      for (const name of names) this.#changed.add(name);
    });
  }

  get(name: string): ToolDocument | undefined {
    return this.#byName.get(name);
  }

  at(slot: number): ToolDocument | undefined {
    return this.#bySlot[slot];
  }

  /** Changes with the tools. */
  get version(): number {
    return this.#version;
  }

  /** Nothing that was learnt counts in it. */
  get unlearnt(): ToolIndex {
    return this.#index;
  }

  /** What was learnt in the scope counts in it. */
  async getIndex(scope = "local"): Promise<ToolIndex> {
    return this.#scoped().of(scope);
  }

  /** Those of the tools that can be found, grouped once for each list of tools. */
  searched(tools: readonly ToolInfo[]): SearchedTools {
    const known = this.#searched.get(tools);
    if (known?.version === this.#version) return known.tools;
    // Of all tools nobody need be looked up by name.
    const isAll = tools === this.#options.registry.snapshot().tools;
    const documents = isAll ? this.#bySlot : tools.map(({ name }) => this.#byName.get(name));
    const found = documents.filter((document) => document !== undefined);
    const grouped = groupTools(found, this.#bySlot.length);
    this.#searched.set(tools, { version: this.#version, tools: grouped });
    return grouped;
  }

  progress(): { made: number; of: number } {
    return { made: this.#byName.size - this.#lacking.size, of: this.#byName.size };
  }

  async learn(scope: string | undefined, use: ToolUse): Promise<void> {
    const { usage } = this.#options;
    if (usage === undefined) return;
    await usage.learn(scope ?? "local", use);
    this.#scoped().learn(scope ?? "local", use);
  }

  /** Until the words of every tool are indexed. Vectors are begun, and not waited for. */
  async settled(): Promise<void> {
    while (!this.#opened || this.#changed.size > 0) {
      this.#settling ??= this.#settle().finally(() => {
        this.#settling = undefined;
      });
      await this.#settling;
    }
    if (this.#lacking.size > 0) void this.#makeVectors();
  }

  async ready(): Promise<void> {
    await this.settled();
    await this.#makeVectors();
    await this.#scopes?.ready();
  }

  async close(): Promise<void> {
    this.#unfollow();
    this.#cancelSave();
    await this.#settling;
    await this.#embedding;
    await this.#save();
  }

  async #settle(): Promise<void> {
    this.#packTexts.clear();
    if (!this.#opened) await this.#open();
    let done = 0;
    for (const name of this.#changed) {
      if (++done % toolsPerSlice === 0) await turn();
      this.#changed.delete(name);
      this.#update(name);
    }
  }

  #update(name: string): void {
    const { registry, onError } = this.#options;
    const tool = registry.get(name);
    const before = this.#byName.get(name);
    if (tool === undefined || selectionToolNames.includes(name)) {
      if (before !== undefined) this.#remove(before);
      return;
    }
    try {
      const text = this.#toText(tool);
      const mark = fingerprint(JSON.stringify(text));
      if (before?.mark === mark) return this.#renew({ ...before, tool: toToolInfo(tool) });
      const slot = before?.slot ?? this.#free.pop() ?? this.#bySlot.length;
      this.#put({ slot, tool: toToolInfo(tool), text, mark, vector: undefined });
    } catch (thrown) {
      onError(thrown);
    }
  }

  #toText(tool: ToolInfo): ToolText {
    const { registry, packText } = this.#options;
    const pack = getPackName(tool);
    const about = this.#packTexts.get(pack) ?? packText(pack) ?? "";
    this.#packTexts.set(pack, about);
    return textOfTool(tool, registry.getSchema(tool.name), about);
  }

  #put(document: ToolDocument): void {
    const before = this.#bySlot[document.slot];
    if (before !== undefined) this.#lacking.delete(before);
    this.#renew(document);
    this.#index.put(document, [], 0);
    this.#scopes?.put(document);
    this.#touch();
  }

  /** Its text is the same. */
  #renew(document: ToolDocument): void {
    const before = this.#bySlot[document.slot];
    if (before !== undefined) {
      this.#lacking.delete(before);
      this.#options.onPackChange(getPackName(before.tool));
    }
    this.#byName.set(document.tool.name, document);
    this.#bySlot[document.slot] = document;
    if (document.vector === undefined) this.#lacking.add(document);
    this.#options.onPackChange(getPackName(document.tool));
    this.#version++;
  }

  #remove(document: ToolDocument): void {
    this.#byName.delete(document.tool.name);
    this.#bySlot[document.slot] = undefined;
    this.#free.push(document.slot);
    this.#lacking.delete(document);
    this.#index.remove(document.slot);
    this.#scopes?.remove(document);
    this.#options.onPackChange(getPackName(document.tool));
    this.#touch();
  }

  /** Takes over what the kept index says of tools that are still the same. */
  async #open(): Promise<void> {
    const { registry, store, onError } = this.#options;
    try {
      const bytes = await store?.load(keptForm);
      if (bytes !== undefined) await this.#takeOver(bytes, registry);
    } catch (thrown) {
      this.#index = new ToolIndex();
      onError(thrown);
    }
    this.#opened = true;
  }

  async #takeOver(bytes: Uint8Array, registry: ToolRegistry): Promise<void> {
    const kept = decodeIndex(bytes);
    const words = LexicalIndex.import(toolWeights, kept.words);
    const same: ToolDocument[] = [];
    for (const [at, [name, slot, mark]] of kept.tools.entries()) {
      if (at > 0 && at % toolsPerSlice === 0) await turn();
      const tool = registry.get(name);
      const text = tool === undefined ? undefined : this.#toText(tool);
      if (tool === undefined || text === undefined || fingerprint(JSON.stringify(text)) !== mark)
        words.remove(slot);
      else same.push({ slot, tool: toToolInfo(tool), text, mark, vector: undefined });
    }
    this.#index = new ToolIndex(words);
    for (const document of same) {
      this.#renew(document);
      // Another one may have taken its place meanwhile.
      const now = registry.get(document.tool.name);
      if (now !== undefined && toToolInfo(now) === document.tool) this.#changed.delete(document.tool.name);
    }
    for (let slot = 0; slot < this.#bySlot.length; slot++) {
      if (this.#bySlot[slot] === undefined) this.#free.push(slot);
    }
  }

  #makeVectors(): Promise<void> {
    this.#embedding ??= this.#makeAll().finally(() => {
      this.#embedding = undefined;
    });
    return this.#embedding;
  }

  async #makeAll(): Promise<void> {
    const { source, signal, onProgress, onError } = this.#options;
    if (!(await source.exists())) return;
    while (this.#lacking.size > 0 && !signal.aborted) {
      const round = takeFirst(this.#lacking, vectorsPerRound);
      const vectors = await source.of(
        round.map(({ text }) => sentenceOfTool(text)),
        signal,
      );
      if (vectors === undefined) return;
      try {
        for (const [at, document] of round.entries()) this.#takeVector(document, vectors[at]);
      } catch (thrown) {
        return onError(thrown);
      }
      const { made, of } = this.progress();
      onProgress(made, of);
    }
  }

  #takeVector(document: ToolDocument, vector: Float32Array | undefined): void {
    if (vector === undefined || !this.#lacking.delete(document)) return;
    document.vector = vector;
    this.#index.putVector(document, [], 0);
    this.#scopes?.putVector(document);
  }

  #scoped(): ScopedIndexes {
    const { usage, source, signal, clock, onError } = this.#options;
    this.#scopes ??= new ScopedIndexes({
      usage,
      source,
      signal,
      clock,
      onError,
      base: () => this.#index,
      documents: () => this.#byName.values(),
      find: (name) => this.#byName.get(name),
    });
    return this.#scopes;
  }

  #touch(): void {
    this.#version++;
    this.#unsaved = true;
    this.#cancelSave();
    if (this.#options.store === undefined) return;
    this.#cancelSave = this.#options.clock.after(saveAfterMs, () => void this.#save());
  }

  async #save(): Promise<void> {
    const { store, onError } = this.#options;
    if (store === undefined || !this.#unsaved || this.#settling !== undefined) return;
    this.#unsaved = false;
    try {
      const tools = Array.from(this.#byName, ([name, { slot, mark }]) => [name, slot, mark] as const);
      await store.save(keptForm, encodeIndex({ tools, words: this.#index.words.export() }));
    } catch (thrown) {
      onError(thrown);
    }
  }
}

function takeFirst<Item>(items: Iterable<Item>, count: number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

/** Lets others have their turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => systemClock.after(0, resolve));
}
