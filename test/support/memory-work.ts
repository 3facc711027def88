import { onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import type { Trust } from "../../src/kernel/index.ts";
import type { ModelRequest } from "../../src/model/index.ts";
import type {
  MemoryEntry,
  MemoryFilter,
  MemoryStore,
  NewMemoryEntry,
} from "../../src/modules/memory/index.ts";
import { defaultLimits, type MemoryLimits } from "../../src/modules/memory/upkeep/index.ts";
import type { MemoryWork } from "../../src/modules/memory/upkeep/memory-work.ts";
import type { Embedder } from "../../src/search/index.ts";
import {
  createFakeClock,
  createScriptedModel,
  type FakeClock,
  type ScriptedAnswer,
  type ScriptedModel,
} from "../../src/testing/index.ts";

export const scope = "local/writer";
export const signal: AbortSignal = new AbortController().signal;
export const now: number = Date.UTC(2026, 5, 15, 12);
export const dayMs = 86_400_000;

export type Script = Parameters<typeof createScriptedModel>[0];

export interface OpenedWork {
  readonly store: Store;
  readonly memory: MemoryStore;
  readonly clock: FakeClock;
  readonly model: ScriptedModel;
  readonly work: MemoryWork;
  readonly add: (entry: NewMemoryEntry, inScope?: string) => Promise<MemoryEntry>;
  /** Adds messages, each of 4,000 characters, a thousand tokens, beginning with its text. */
  readonly say: (
    session: string,
    texts: readonly string[],
    trust?: Trust,
    inScope?: string,
  ) => Promise<readonly MemoryEntry[]>;
  /** The oldest first. */
  readonly all: (filter?: MemoryFilter, inScope?: string) => Promise<readonly MemoryEntry[]>;
}

/** Work on a real store in memory, with a model that answers as it is told. */
export async function openMemoryWork(
  script: Script,
  options: { limits?: Partial<MemoryLimits>; embedder?: Embedder } = {},
): Promise<OpenedWork> {
  const clock = createFakeClock(now);
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  const model = createScriptedModel(script);
  const work: MemoryWork = {
    store: store.memory,
    model,
    graph: store.graph,
    embedder: options.embedder,
    limits: { ...defaultLimits, ...options.limits },
    clock,
  };
  const add = async (entry: NewMemoryEntry, inScope = scope) => {
    const [added] = await store.memory.edit(inScope, [{ do: "create_block", entry }], { by: "test" });
    return added as MemoryEntry;
  };
  const say = (session: string, texts: readonly string[], trust: Trust = "trusted", inScope = scope) =>
    store.memory.edit(
      inScope,
      texts.map((text) => ({
        do: "create_block",
        entry: { kind: "message", text: text.padEnd(4_000, "."), trust, place: { session, speaker: "Ada" } },
      })),
      { by: "test" },
    );
  const all = async (filter: MemoryFilter = {}, inScope = scope) =>
    (await store.memory.list(inScope, { ...filter, order: "oldest", limit: 1000 })).entries;
  return { store, memory: store.memory, clock, model, work, add, say, all };
}

/** What the scope remembers of everything, deleted and superseded too. */
export const everything: MemoryFilter = { with: ["deleted", "superseded", "invalid"] };

/** The ids of the lines between the marks of a name, with what each says. */
export function readLines({ messages }: ModelRequest, name: string): readonly Record<string, unknown>[] {
  const prompt = messages[0]?.text ?? "";
  const data = new RegExp(`<${name}>\n([\\s\\S]*?)\n?</${name}>`).exec(prompt)?.[1] ?? "";
  return data
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** An observation of each line, which says its first word. */
export function noteEach(request: ModelRequest, part: object = {}): ScriptedAnswer {
  const observations = readLines(request, "conversation").map(({ id, text }) => ({
    content: `noted ${String(text).replace(/\.+$/, "")}`,
    priority: "medium",
    date: "2026-06-14",
    from: [id],
    ...part,
  }));
  return { value: { observations } };
}
