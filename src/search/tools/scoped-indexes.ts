import type { Clock } from "../../base/index.ts";
import { LexicalIndex } from "./lexical-index.ts";
import { type LearntUse, type ToolDocument, ToolIndex } from "./tool-index.ts";
import { toolWeights } from "./tool-text.ts";
import type { ToolUse, UsageMemory } from "./usage.ts";
import type { VectorSource } from "./vector-source.ts";

export interface ScopedIndexesOptions {
  readonly usage: UsageMemory | undefined;
  readonly source: VectorSource;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** The index in which nothing is learnt. */
  readonly base: () => ToolIndex;
  readonly documents: () => Iterable<ToolDocument>;
  readonly find: (name: string) => ToolDocument | undefined;
}

/** What one scope has learnt. */
interface Scope {
  readonly uses: Map<string, LearntUse[]>;
  /** Undefined as long as nothing is learnt. */
  index: ToolIndex | undefined;
}

/** Each has an index of its own, some 2 KB a tool. */
const mostScopes = 8;
/** The most uses of one tool. More would drown what the tool says of itself. */
const mostUses = 20;

/** The indexes of scopes in which something was learnt; all others share one. */
export class ScopedIndexes {
  readonly #options: ScopedIndexesOptions;
  readonly #scopes = new Map<string, Promise<Scope>>();
  readonly #open = new Set<Scope>();
  #embedding: Promise<void> = Promise.resolve();

  constructor(options: ScopedIndexesOptions) {
    this.#options = options;
  }

  async of(name: string): Promise<ToolIndex> {
    if (this.#options.usage === undefined) return this.#options.base();
    const scope = await this.#scope(name);
    return scope.index ?? this.#options.base();
  }

  /** A scope that nobody has asked for yet reads it when somebody does. */
  learn(name: string, { toolName, goal, at }: ToolUse): void {
    void this.#scopes.get(name)?.then((scope) => {
      const others = (scope.uses.get(toolName) ?? []).filter((use) => use.goal !== goal);
      scope.uses.set(toolName, [{ goal, at, vector: undefined }, ...others].slice(0, mostUses));
      this.#relearn(scope, [toolName]);
    });
  }

  put(document: ToolDocument): void {
    this.#each((index, uses, now) => index.put(document, uses.get(document.tool.name) ?? [], now));
  }

  putVector(document: ToolDocument): void {
    this.#each((index, uses, now) => index.putVector(document, uses.get(document.tool.name) ?? [], now));
  }

  remove({ slot }: ToolDocument): void {
    this.#each((index) => index.remove(slot));
  }

  /** Until the vectors of what was learnt are there, or can't be made. */
  async ready(): Promise<void> {
    await Promise.all(this.#scopes.values());
    await this.#embedding;
  }

  #each(act: (index: ToolIndex, uses: Scope["uses"], now: number) => void): void {
    const now = this.#options.clock.now();
    for (const { index, uses } of this.#open) if (index !== undefined) act(index, uses, now);
  }

  #scope(name: string): Promise<Scope> {
    const known = this.#scopes.get(name);
    this.#scopes.delete(name);
    const scope = known ?? this.#load(name);
    this.#scopes.set(name, scope);
    const [oldest] = this.#scopes;
    if (this.#scopes.size > mostScopes && oldest !== undefined) {
      this.#scopes.delete(oldest[0]);
      void oldest[1].then((gone) => this.#open.delete(gone));
    }
    return scope;
  }

  async #load(name: string): Promise<Scope> {
    const scope: Scope = { uses: new Map(), index: undefined };
    this.#open.add(scope);
    try {
      for (const { toolName, goal, at } of (await this.#options.usage?.list(name)) ?? []) {
        const uses = scope.uses.get(toolName) ?? [];
        if (uses.length < mostUses) scope.uses.set(toolName, [...uses, { goal, at, vector: undefined }]);
      }
    } catch (thrown) {
      this.#options.onError(thrown);
      this.#scopes.delete(name);
    }
    if (scope.uses.size > 0) this.#relearn(scope, [...scope.uses.keys()]);
    return scope;
  }

  #relearn(scope: Scope, toolNames: readonly string[]): void {
    scope.index ??= this.#copyOfBase();
    this.#putAll(scope, toolNames);
    this.#embedding = this.#embedding.then(() => this.#makeVectors(scope, toolNames));
  }

  #copyOfBase(): ToolIndex {
    const copy = new ToolIndex(LexicalIndex.import(toolWeights, this.#options.base().words.export()));
    const now = this.#options.clock.now();
    for (const document of this.#options.documents()) copy.putVector(document, [], now);
    return copy;
  }

  #putAll({ index, uses }: Scope, toolNames: readonly string[]): void {
    const now = this.#options.clock.now();
    for (const name of toolNames) {
      const document = this.#options.find(name);
      if (document !== undefined) index?.put(document, uses.get(name) ?? [], now);
    }
  }

  async #makeVectors(scope: Scope, toolNames: readonly string[]): Promise<void> {
    const { source, signal, onError } = this.#options;
    const lacking = toolNames
      .flatMap((name) => scope.uses.get(name) ?? [])
      .filter((use) => use.vector === undefined);
    if (lacking.length === 0 || signal.aborted || source.fault !== undefined) return;
    const vectors = await source.of(
      lacking.map(({ goal }) => goal),
      signal,
    );
    if (vectors === undefined) return;
    for (const [at, use] of lacking.entries()) use.vector = vectors[at];
    try {
      this.#putAll(scope, toolNames);
    } catch (thrown) {
      onError(thrown);
    }
  }
}
