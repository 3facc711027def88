import { join } from "node:path";
import { UndoFolder, Workspace } from "../../../../host/index.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { MemoryFiles } from "./memory-files.ts";
import { memoryFolderName } from "./memory-path.ts";
import { withMemoryFiles } from "./with-memory-files.ts";

/** Files of memory, and the store whose searches know them. */
export interface FiledMemory {
  readonly store: MemoryStore;
  readonly files: MemoryFiles;
}

export interface FiledMemoryParts {
  /** The folder for Markdown files, absolute; each scope has a folder in it. */
  readonly folder: string;
  /** The folder for former content of the Markdown files. */
  readonly undoFolder: string;
  /** The store as it is without the files. */
  readonly store: MemoryStore;
  /** Takes secrets out of what is written to files. */
  readonly redact: (text: string) => string;
}

/** Opens the memory files of an installation beside its store. It is apart from the tools, which load much more. */
export function openFiledMemory({ folder, undoFolder, store, redact }: FiledMemoryParts): FiledMemory {
  const files = new MemoryFiles({
    store,
    workspace: new Workspace({ undo: new UndoFolder(undoFolder) }),
    memoryFolder: (scope) => join(folder, memoryFolderName(scope)),
    redact,
  });
  return { store: withMemoryFiles(store, files), files };
}
