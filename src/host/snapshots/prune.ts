import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureTree } from "../files/tree-size.ts";
import { startGit } from "./run-git.ts";

export interface PruneOptions {
  readonly program: string;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

const day = 24 * 60 * 60 * 1000;

/** Whether a shadow repository was last pruned more than a day ago. */
export function needsPruning(repository: string, now: number): boolean {
  const status = lstatSync(join(repository, "pruned"), { throwIfNoEntry: false });
  return status === undefined || now - status.mtimeMs > day;
}

/**
 * Removes snapshots that are too old, the older half of those of a repository that is too large, and the repositories
 * of folders that had none for as long. What is left is packed.
 */
export function pruneSnapshots(all: string, repository: string, options: PruneOptions): void {
  const now = Date.now();
  writeFileSync(join(repository, "pruned"), "");
  for (const name of readdirSync(all)) {
    const mark = lstatSync(join(all, name, "pruned"), { throwIfNoEntry: false });
    if (mark !== undefined && now - mark.mtimeMs > options.maxAgeMs)
      rmSync(join(all, name), { recursive: true, force: true });
  }
  const refs = join(repository, "refs", "snapshots");
  const names = listIfThere(refs).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const { bytes } = measureTree(join(repository, "objects"), new AbortController().signal);
  const tooMany = bytes > options.maxBytes ? Math.ceil(names.length / 2) : 0;
  for (const [at, name] of names.entries())
    if (at < tooMany || now - Number.parseInt(name, 10) > options.maxAgeMs)
      rmSync(join(refs, name), { force: true });
  startGit(["gc", "--quiet", "--prune=1.hour.ago"], {
    repository,
    folder: repository,
    program: options.program,
  });
}

function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
