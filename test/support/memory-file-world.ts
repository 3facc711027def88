import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UndoFolder, Workspace } from "../../src/host/index.ts";
import type { CallContext, Tool } from "../../src/kernel/index.ts";
import { findMemoryScope, type MemoryGraph, type MemoryStore } from "../../src/modules/memory/index.ts";
import {
  MemoryFiles,
  type MemoryFilesOptions,
  memoryFileTools,
  memoryFolderName,
  withMemoryFiles,
} from "../../src/modules/memory/tools/files/index.ts";
import { type MemoryWorld, openMemoryWorld } from "./memory-world.ts";

/** A world of memory with memory files, and a place beside their folder that nothing may reach. */
export interface MemoryFileWorld extends MemoryWorld {
  readonly files: MemoryFiles;
  readonly filesOptions: MemoryFilesOptions;
  /** As tools other than those of files have it. */
  readonly followed: MemoryStore;
  readonly graph: MemoryGraph;
  /** Beside the memory folders. */
  readonly outside: string;
  /** A path in the memory folder of a caller. */
  path(name: string, context?: CallContext): string;
  /** Writes a file as a person does. */
  byHand(name: string, content: string | Uint8Array, context?: CallContext): void;
  /** The texts of the passages of a caller, in their order. */
  passages(context?: CallContext): Promise<readonly string[]>;
}

export async function openMemoryFileWorld(
  moreTools: (memory: MemoryStore, files: MemoryFiles, graph: MemoryGraph) => readonly Tool[] = () => [],
): Promise<MemoryFileWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-memory-")));
  const outside = join(root, "outside");
  mkdirSync(outside);
  const memoryFolder = (scope: string) => join(root, "memory", memoryFolderName(scope));
  const workspace = new Workspace({ undo: new UndoFolder(join(root, "undo")) });
  let known: MemoryGraph | undefined;
  let made: Pick<MemoryFileWorld, "files" | "filesOptions" | "followed"> | undefined;
  const world = await openMemoryWorld((store, { graph }) => {
    known = graph;
    const filesOptions = { store, workspace, memoryFolder };
    const files = new MemoryFiles(filesOptions);
    made = { files, filesOptions, followed: withMemoryFiles(store, files) };
    return [...memoryFileTools({ files }), ...moreTools(made.followed, files, graph)];
  });
  const { files, filesOptions, followed } = made as unknown as MemoryFileWorld;
  const path = (name: string, context: CallContext = {}) =>
    join(memoryFolder(findMemoryScope(context)), name);
  return {
    ...world,
    files,
    filesOptions,
    followed,
    graph: known as MemoryGraph,
    outside,
    path,
    byHand(name, content, context) {
      mkdirSync(dirname(path(name, context)), { recursive: true });
      writeFileSync(path(name, context), content);
    },
    async passages(context = {}) {
      const scope = findMemoryScope(context);
      const { entries } = await followed.list(scope, { kinds: ["passage"], order: "position", limit: 1000 });
      return entries.map(({ text }) => text);
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
