import { lazy, lazyPort } from "../../base/index.ts";
import type { CallContext } from "../../kernel/index.ts";
import type { Model } from "../../model/index.ts";
import type { OpenEmbedder } from "../embeddings/index.ts";
import type { Jobs } from "../jobs/index.ts";
import type { MemoryAuthor, MemoryEntry, MemoryGraph, MemoryStore, SqlMemory, Turn } from "./index.ts";
import type { FiledMemory } from "./tools/files/open-filed-memory.ts";
import type { MemoryDigest, MemoryUpkeep } from "./tools/index.ts";
import type { MemoryContextText, MemoryJobs } from "./upkeep/index.ts";

export interface MemoryServiceParts {
  /** The folder for Markdown files, absolute; each scope has a folder in it. */
  readonly folder: string;
  /** What the notes and the profile of the project go by. */
  readonly project: string;
  /** The folder for former content of the Markdown files. */
  readonly undoFolder: string;
  /** Opened when it is first used. */
  readonly store: MemoryRows;
  /** Opens what entries are compared by; asked once. Undefined: they are found by their words. */
  readonly embedder: () => Promise<OpenEmbedder | undefined>;
  /** Opens the model that sums up. @default nothing is summed up */
  readonly model?: (() => Promise<Model>) | undefined;
  /** Takes secrets out of what is written to files. */
  readonly redact: (text: string) => string;
  /** Begins what was enqueued, where this program does such work. */
  readonly wake: () => void;
  /** Told of what goes wrong in the background. */
  readonly onError: (error: unknown) => void;
}

/** What of a store the memory is kept in. */
export interface MemoryRows {
  readonly memory: MemoryStore;
  readonly graph: MemoryGraph;
  open(): Promise<{
    readonly memory: MemoryStore & Pick<SqlMemory, "ready" | "progress" | "reindex">;
    readonly jobs: Jobs;
  }>;
}

/** The owner of the memory that is kept good. */
type MemoryUser = Pick<CallContext, "scope" | "agentId">;

/** Other processes may leave texts behind that are to be compared by their meaning. */
const lookMs = 15_000;

/** The memory of one installation. Nothing of it is loaded or opened before it is used. */
export class MemoryService {
  /** The folder for Markdown files, absolute; each scope has a folder in it. */
  readonly folder: string;
  /** What the notes and the profile of this project go by. */
  readonly project: string;
  readonly #parts: MemoryServiceParts;
  /** Opens the model that sums up; undefined where none is configured. */
  readonly #model: (() => Promise<Model>) | undefined;
  #filed: Promise<FiledMemory> | undefined;
  #embedder: Promise<OpenEmbedder | undefined> | undefined;
  #jobs: Promise<MemoryJobs> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: MemoryServiceParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.folder = parts.folder;
    this.project = parts.project;
  }

  /** What entries are compared by; one for all of memory. */
  readonly embedder = (): Promise<OpenEmbedder | undefined> => {
    this.#embedder ??= this.#parts.embedder();
    return this.#embedder;
  };

  get graph(): MemoryGraph {
    return this.#parts.store.graph;
  }

  /** Has a model say what a new entry is about, some time. */
  readonly remembered = async (entry: MemoryEntry): Promise<void> => {
    if (this.#model !== undefined) await this.#enqueue((jobs) => jobs.remembered(entry));
  };

  /** Keeps what was said in a conversation, and has a model note what it tells, once it is long enough. */
  readonly record = async (scope: string, turns: readonly Turn[], author: MemoryAuthor): Promise<void> => {
    const { memory } = await this.#parts.store.open();
    const { recordTurns } = await import("./index.ts");
    await recordTurns(memory, scope, turns, author);
    await this.noticed(scope, new Set(turns.map((turn) => turn.session)));
  };

  /** Has a model look at conversations to which something was added, where that is enough for a look. */
  async noticed(scope: string, sessions: Iterable<string>): Promise<void> {
    if (this.#model === undefined) return;
    const [{ memory: store, jobs }, { noticeConversation }] = await Promise.all([
      this.#parts.store.open(),
      import("./upkeep/notice.ts"),
    ]);
    for (const session of sessions) await noticeConversation({ store, jobs }, scope, session);
    this.#parts.wake();
  }

  /** What keeps the search of memory as good as it can be. */
  readonly upkeep: MemoryUpkeep = {
    unembedded: async (scope) => {
      if ((await this.embedder()) === undefined) return undefined;
      const { made, of } = await (await this.#parts.store.open()).memory.progress(scope);
      return of - made;
    },
    reindex: async (scope, signal) => (await this.#parts.store.open()).memory.reindex(scope, signal),
  };

  /** What notes need of the model; undefined where none is configured. */
  get digest(): MemoryDigest | undefined {
    const open = this.#model;
    return (
      open &&
      lazyPort<MemoryDigest>(
        lazy(async () => {
          const { ModelDigest } = await import("./upkeep/index.ts");
          return new ModelDigest({ model: await open() });
        }),
      )
    );
  }

  filed(): Promise<FiledMemory> {
    this.#filed ??= this.#file();
    return this.#filed;
  }

  /** The part of a scope's memory that goes into every prompt. */
  async context(scope: string): Promise<MemoryContextText> {
    const [{ files }, { memoryContext }] = await Promise.all([
      this.filed(),
      import("./upkeep/memory-context.ts"),
    ]);
    // One look at the files is enough for all lists. A folder that can't be read costs its files, not the rest.
    await files.sync(scope).catch(() => {});
    return memoryContext(this.#parts.store.memory, scope);
  }

  /** What keeps memory good. */
  jobs(): Promise<MemoryJobs> {
    this.#jobs ??= this.#makeJobs();
    return this.#jobs;
  }

  /** Begins what is to be done day by day for these callers, and looks after texts that have no vectors yet. */
  async begin(callers: readonly MemoryUser[]): Promise<void> {
    const { store, onError } = this.#parts;
    const [{ memory }, work, { findMemoryScope }] = await Promise.all([
      store.open(),
      this.jobs(),
      import("./index.ts"),
    ]);
    if (this.#isClosed) return;
    const look = () => void memory.ready().catch(onError);
    this.#looking = setInterval(look, lookMs).unref();
    look();
    for (const scope of new Set(callers.map(findMemoryScope))) await work.begin(scope);
  }

  /** Looks after nothing more; the store can be closed then. */
  stop(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
  }

  /** Lets go of the embedder, once the store is closed. */
  async close(): Promise<void> {
    const embedder = await this.#embedder?.catch(() => undefined);
    await embedder?.close();
  }

  /** Done at once where this program does what is to be done in the background; otherwise by the next one that does. */
  async #enqueue(enqueue: (jobs: MemoryJobs) => Promise<void>): Promise<void> {
    await enqueue(await this.jobs());
    this.#parts.wake();
  }

  async #file(): Promise<FiledMemory> {
    const { openFiledMemory } = await import("./tools/files/open-filed-memory.ts");
    const { folder, undoFolder, store, redact } = this.#parts;
    return openFiledMemory({ folder, undoFolder, store: store.memory, redact });
  }

  async #makeJobs(): Promise<MemoryJobs> {
    const { MemoryJobs } = await import("./upkeep/index.ts");
    const { store } = this.#parts;
    const [model, embedder] = await Promise.all([this.#model?.(), this.embedder()]);
    return new MemoryJobs({
      store: store.memory,
      graph: store.graph,
      jobs: (await store.open()).jobs,
      model,
      embedder: embedder?.background ?? embedder,
    });
  }
}
