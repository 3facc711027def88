import { type CallContext, Goals, type ToolRegistry, type Trust } from "../../kernel/index.ts";
import type { ServerHealth } from "../../mcp/index.ts";
import type { OpenEmbedder } from "../../modules/embeddings/index.ts";
import type { SelectionServices } from "../../modules/finding/tools/index.ts";
import { type IndexStore, PackCatalogue, ToolSearch } from "../../search/index.ts";
import type { Store } from "../store/open-store.ts";
import { serverPacks } from "./server-packs.ts";

export interface ToolSelectionParts {
  /** The project's folder: projects that share a store keep an index each. */
  readonly folder: string;
  readonly registry: ToolRegistry;
  readonly store: () => Promise<Store>;
  /** Asked once, at the first search. Undefined: the words decide. */
  readonly embedder: () => Promise<OpenEmbedder | undefined>;
  /** Whether it is remembered which tool served which message. */
  readonly remembers: boolean;
  readonly servers: () => readonly ServerHealth[];
  readonly onError: (error: unknown) => void;
}

/** How tools are found in one installation. Nothing of it is loaded or opened before the first search. */
export class ToolSelection {
  readonly packs: PackCatalogue;
  readonly #parts: ToolSelectionParts;
  readonly #goals: Goals;
  #search: Promise<ToolSearch> | undefined;
  #embedder: Promise<OpenEmbedder | undefined> | undefined;

  constructor(parts: ToolSelectionParts) {
    this.#parts = parts;
    this.packs = new PackCatalogue(parts.registry, () => serverPacks(parts.servers()));
    this.#goals = new Goals({
      learn: async (lesson) => (await this.search()).learn(lesson),
      onError: parts.onError,
    });
  }

  /** What the tools that find tools work with. */
  get services(): SelectionServices {
    return {
      search: { search: async (goal, options) => (await this.search()).search(goal, options) },
      packs: this.packs,
      registry: this.#parts.registry,
      goals: this.#goals,
    };
  }

  /** Told of every call that came off: what was searched for before is what it is good for. */
  readonly onSuccess = (toolName: string, context: CallContext, trust: Trust): void =>
    this.#goals.onSuccess(toolName, context, trust);

  /** What could not be opened is tried again at the next search. */
  search(): Promise<ToolSearch> {
    this.#search ??= this.#open().catch((thrown: unknown) => {
      this.#search = undefined;
      throw thrown;
    });
    return this.#search;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled([this.#search, this.#embedder]);
    for (const one of opened) if (one.status === "fulfilled") await one.value?.close();
  }

  async #open(): Promise<ToolSearch> {
    const { folder, registry, store, embedder, remembers, onError } = this.#parts;
    const { vectors, toolUsage, searchIndex } = await store();
    return new ToolSearch({
      registry,
      packs: this.packs,
      embedder: () => {
        this.#embedder ??= embedder();
        return this.#embedder;
      },
      vectors,
      ...(remembers && { usage: toolUsage }),
      index: openIndex(folder, searchIndex),
      onError,
    });
  }
}

function openIndex(folder: string, store: IndexStore): IndexStore {
  const toForm = (form: string) => `${form} ${folder}`;
  return {
    load: (form) => store.load(toForm(form)),
    save: (form, bytes) => store.save(toForm(form), bytes),
  };
}
