import { tmpdir } from "node:os";
import { join } from "node:path";
import { Home } from "../../src/app/home.ts";
import { KeptSeenFiles } from "../../src/app/kept-seen-files.ts";
import { LazyStore } from "../../src/app/lazy-store.ts";
import { InstalledMemory } from "../../src/app/memory/installed-memory.ts";
import { toolFamilies } from "../../src/app/tool-families.ts";
import { createConnector, Environment, Processes, UndoFolder, Workspace } from "../../src/host/index.ts";
import { type Tool, toJsonSchema } from "../../src/kernel/index.ts";

/** The entries of all tools we ship, made of the tools themselves; nothing is opened for it. */
export async function readCatalogue(): Promise<Record<string, readonly object[]>> {
  const families = toolFamilies({
    workspace: new Workspace({ undo: new UndoFolder(join(tmpdir(), "haft-no-undo")) }),
    processes: new Processes(),
    connector: createConnector(),
    environment: new Environment({ variables: {} }),
    store: new LazyStore({ path: ":memory:" }),
    seen: new KeptSeenFiles(new Home(join(tmpdir(), "haft-no-home"))),
    config: {},
    secrets: { set: unused, list: unused, delete: unused },
    memory: unopenedMemory(),
    selection: {
      search: { search: unused },
      packs: { list: () => [] },
      registry: { schemaOf: () => undefined },
    },
  });
  const entries = Object.entries(families).map(
    async ([family, load]) => [family, (await load()).map(toEntry)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function unopenedMemory(): InstalledMemory {
  return new InstalledMemory({
    folder: tmpdir(),
    home: new Home(join(tmpdir(), "haft-no-home")),
    config: {},
    store: new LazyStore({ path: ":memory:" }),
    connector: createConnector(),
    secrets: { get: unused },
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
  lanes: _lanes,
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
