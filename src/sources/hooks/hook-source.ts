import { readSourceFiles, type SourceFile } from "../../host/index.ts";
import type { Hook } from "../../kernel/index.ts";
import { FollowedFiles } from "../followed-files.ts";
import { KeptFiles } from "../kept-files.ts";
import { type FileProblem, nameTaken, unreadable } from "../problems.ts";
import { commandHook, type HookServices } from "./command-hook.ts";
import { type HookDefinition, type HookEntry, toDefinition } from "./hook-definition.ts";
import { readHookFile } from "./hook-file.ts";

export interface HookSourceServices extends HookServices {
  /** The folders of `*.md` files with hooks. */
  readonly folders: readonly string[];
  /** Those of the configuration, each with the file that it stands in. */
  readonly configured: readonly { readonly entry: HookEntry; readonly file: string }[];
  readonly accepts: (file: Pick<SourceFile, "path" | "text">) => boolean;
  /** Whether a file at this path was accepted at some time. @default false */
  readonly wasAccepted?: (path: string) => boolean;
  /** Follow changes of the folders. */
  readonly watch: boolean;
}

/** The hooks of an installation. */
export interface HookSource {
  start(): Promise<void>;
  /** The hooks in the order in which they are asked. */
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
 * accepted one that never was right, one that was accepted and has changed, and what can't be read at all, blocks every
 * call: a guard that is broken says no, and whoever changes it does not turn it off.
 */
export function createHookSource(services: HookSourceServices): HookSource {
  const { folders, configured, accepts, wasAccepted = () => false, watch } = services;
  const files = new KeptFiles<HookDefinition>({ accepts, read: readHookFile });
  let made: ReadonlyMap<string, Hook> = new Map();
  let definitions: readonly HookDefinition[] = [];
  let hooks: readonly Hook[] = [];
  let faults: readonly FileProblem[] = [];

  const load = async () => {
    const match = (path: string) => path.endsWith(".md");
    const found = await Promise.all(folders.map((folder) => readSourceFiles(folder, { match })));
    files.update(found.flatMap((one) => one.files));
    const own = configured.map(({ entry, file }) => toDefinition(entry, file, 1));
    const { chosen, doubles } = firstOfEachId([...own, ...files.values()]);
    definitions = chosen.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
    faults = [...found.flatMap(({ skipped }) => skipped.map(unreadable)), ...doubles];
    const isUsed = new Set(files.values().map(({ file }) => file));
    const isBroken = ({ where, code, level }: FileProblem) =>
      level === "error" && !isUsed.has(where) && (code !== "SOURCE_NOT_TRUSTED" || wasAccepted(where));
    made = new Map(
      definitions
        .filter(({ enabled }) => enabled)
        .map((definition) => {
          const key = JSON.stringify(definition);
          return [key, made.get(key) ?? commandHook(definition, services)] as const;
        }),
    );
    hooks = [...[...files.problems().filter(isBroken), ...faults].map(brokenHook), ...made.values()];
  };
  const followed = new FollowedFiles({ paths: folders, watch, load });
  return {
    start: () => followed.start(),
    hooks: () => hooks,
    definitions: () => definitions,
    problems: () => [...files.problems(), ...faults],
    reload: () => followed.reload(),
    close: () => followed.close(),
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
      const why = `one of "${first.file}" has this id; give it one of its own`;
      doubles.push(nameTaken(file, `the hook "${id}"`, why));
    }
  }
  return { chosen: Array.from(chosen.values()), doubles };
}

/** Stands for a hook that can't be used: nobody knows which calls it was for. */
function brokenHook({ where, line, message }: FileProblem): Hook {
  const place = line === undefined ? where : `${where}:${line}`;
  return {
    name: where,
    before: () => ({ block: `${message} (${place}); calls wait until the hook is put right or taken away` }),
  };
}
