import { readSourceFiles, type SkippedFile, type SourceFile, watchPath } from "../../host/index.ts";
import type { Hook } from "../../kernel/index.ts";
import { KeptFiles } from "../kept-files.ts";
import type { FileProblem } from "../problems.ts";
import { Reload } from "../reload.ts";
import { commandHook, type HookServices } from "./command-hook.ts";
import { type HookDefinition, type HookEntry, toDefinition } from "./hook-definition.ts";
import { readHookFile } from "./hook-file.ts";

export interface HookSourceServices extends HookServices {
  /** Where `*.md` files with hooks are. */
  readonly folders: readonly string[];
  /** Those of the configuration, each with the file that it stands in. */
  readonly configured: readonly { readonly entry: HookEntry; readonly file: string }[];
  readonly accepts: (file: Pick<SourceFile, "path" | "text">) => boolean;
  /** Follow changes of the folders. */
  readonly watch: boolean;
}

/** The hooks of an installation. */
export interface HookSource {
  start(): Promise<void>;
  /** In the order in which they are asked. */
  hooks(): readonly Hook[];
  /** All of them, those that are not enabled too. */
  definitions(): readonly HookDefinition[];
  problems(): readonly FileProblem[];
  /** Looks again: after the owner has accepted a file. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Hooks that are commands, from the configuration and from folders. Where a file is wrong, its last good form stays; an
 * accepted one that never was right blocks every call: a guard that is broken says no.
 */
export function createHookSource(services: HookSourceServices): HookSource {
  const { folders, configured, accepts, watch } = services;
  const files = new KeptFiles<HookDefinition>({ accepts, read: readHookFile });
  const made = new Map<string, Hook>();
  const watchers: { close(): void }[] = [];
  let definitions: readonly HookDefinition[] = [];
  let hooks: readonly Hook[] = [];
  let faults: readonly FileProblem[] = [];

  const reload = new Reload(async () => {
    const match = (path: string) => path.endsWith(".md");
    const found = await Promise.all(folders.map((folder) => readSourceFiles(folder, { match })));
    files.update(found.flatMap((one) => one.files));
    const own = configured.map(({ entry, file }) => toDefinition(entry, file, 1));
    const { chosen, doubles } = firstOfEachId([...own, ...files.values()]);
    definitions = chosen.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
    faults = [...found.flatMap(({ skipped }) => skipped.map(toUnreadable)), ...doubles];
    const isUsed = new Set(files.values().map(({ file }) => file));
    const isBroken = ({ where, code, level }: FileProblem) =>
      level === "error" && code !== "SOURCE_NOT_TRUSTED" && !isUsed.has(where);
    hooks = [
      ...[...files.problems().filter(isBroken), ...doubles].map(brokenHook),
      ...definitions.filter(({ enabled }) => enabled).map(hookOf),
    ];
  });
  const hookOf = (definition: HookDefinition): Hook => {
    const key = JSON.stringify(definition);
    const hook = made.get(key) ?? commandHook(definition, services);
    made.set(key, hook);
    return hook;
  };
  return {
    async start() {
      if (watch) watchers.push(...folders.map((folder) => watchPath(folder, () => void reload.now())));
      await reload.now();
    },
    hooks: () => hooks,
    definitions: () => definitions,
    problems: () => [...files.problems(), ...faults],
    reload: () => reload.now(),
    async close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function firstOfEachId(found: readonly HookDefinition[]): {
  readonly chosen: readonly HookDefinition[];
  readonly doubles: readonly FileProblem[];
} {
  const chosen = new Map<string, HookDefinition>();
  const doubles: FileProblem[] = [];
  for (const definition of found) {
    const { id, file } = definition;
    const first = chosen.get(id);
    if (first === undefined) chosen.set(id, definition);
    else {
      const message = `Cannot use the hook "${id}": one of "${first.file}" has this id; give it one of its own`;
      doubles.push({ where: file, code: "SOURCE_NAME_TAKEN", message, level: "error" });
    }
  }
  return { chosen: Array.from(chosen.values()), doubles };
}

function toUnreadable({ path, reason }: SkippedFile): FileProblem {
  return {
    where: path,
    code: "SOURCE_UNREADABLE",
    message: `Cannot read "${path}": ${reason}`,
    level: "error",
  };
}

/** Stands for a hook that can't be used: nobody knows which calls it was for. */
function brokenHook({ where, line, message }: FileProblem): Hook {
  const place = line === undefined ? where : `${where}:${line}`;
  return {
    name: where,
    before: () => ({ block: `${message} (${place}); calls wait until the hook is put right or taken away` }),
  };
}
