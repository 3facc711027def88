import { tmpdir } from "node:os";
import { join } from "node:path";
import { Home } from "../../src/app/home.ts";
import { KeptSeenFiles } from "../../src/app/kept-seen-files.ts";
import { LazyStore } from "../../src/app/lazy-store.ts";
import { families } from "../../src/app/own-tools.ts";
import { definitionTokens } from "../../src/app/selection/definition-tokens.ts";
import { lazyPort } from "../../src/base/index.ts";
import { toTargetTool } from "../../src/formats/index.ts";
import { createConnector, Environment, Processes, UndoFolder, Workspace } from "../../src/host/index.ts";
import { type Tool, ToolRegistry, toJsonSchema } from "../../src/kernel/index.ts";
import { MemoryService } from "../../src/modules/memory/module.ts";
import type { Sessions } from "../../src/modules/sessions/index.ts";
import type { TaskDesk } from "../../src/modules/tasks/index.ts";

/** The entries of all tools we ship, made of the tools themselves; nothing is opened for it. */
export async function readCatalogue(): Promise<Record<string, readonly object[]>> {
  const store = new LazyStore({ path: ":memory:" });
  const ports = {
    workspace: new Workspace({ undo: new UndoFolder(join(tmpdir(), "haft-no-undo")) }),
    processes: new Processes(),
    connector: createConnector(),
    environment: new Environment({ variables: {} }),
    artifacts: store.artifacts,
    changes: store.changes,
    snapshots: undefined,
    seen: new KeptSeenFiles(new Home(join(tmpdir(), "haft-no-home"))),
    settings: {},
    secrets: { set: unused, list: unused, delete: unused },
    memory: unopenedMemory(store),
    usage: store.usage,
    sessions: lazyPort<Sessions>(unused),
    taskDesk: lazyPort<TaskDesk>(unused),
    tasks: store.tasks,
    todos: store.todos,
    untrustedFiles: unused,
    stopRun: unused,
    selection: {
      search: { search: unused },
      packs: { list: () => [] },
      registry: { getSchema: () => undefined },
    },
  };
  const entries = families.map(async ({ name, make }) => {
    const tools = await make(ports);
    const registry = new ToolRegistry({ format: toTargetTool });
    registry.registerMany(tools);
    const count = (tool: Tool) => ({ definitionTokens: definitionTokens(registry, tool.name) });
    return [name, tools.map((tool) => ({ ...toEntry(tool), ...count(tool) }))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function unopenedMemory(store: LazyStore): MemoryService {
  return new MemoryService({
    folder: tmpdir(),
    project: "none",
    undoFolder: tmpdir(),
    store,
    embedder: () => Promise.resolve(undefined),
    wake: () => undefined,
    redact: (text) => text,
    onError: () => undefined,
  });
}

function unused(): Promise<never> {
  return Promise.reject(new Error("no tool is called here"));
}

function toEntry({
  parameters,
  timeoutMs,
  execute: _execute,
  unwrap,
  composes,
  effects: _effects,
  check: _check,
  locks: _locks,
  ...shown
}: Tool): object {
  return {
    ...shown,
    ...(timeoutMs !== undefined && { timeoutMs: typeof timeoutMs === "function" ? "call" : timeoutMs }),
    ...(unwrap !== undefined && { unwraps: true }),
    ...(composes !== undefined && { composes: composes === true || "call" }),
    parameters: toJsonSchema(parameters),
  };
}
