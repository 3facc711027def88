import { buffer } from "node:stream/consumers";
import { listIndex } from "./git-index-state.ts";
import type { RepositoryState } from "./repository-state.ts";
import { GitFailure } from "./run-git.ts";
import type { ShadowRepository } from "./shadow-repository.ts";

/** Blob of an entry that only says that a file is to be added; git need not have it. */
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/** Whether the project's repository has the commits of a state with all their files, and all files of its index. */
export async function hasObjects(shadow: ShadowRepository, state: RepositoryState): Promise<boolean> {
  const head = /^[0-9a-f]{40}$/.exec(state.head.trim());
  // What a pseudo ref such as ORIG_HEAD stands for, git may have thrown away.
  const ids = Object.entries(state.refs).flatMap(([name, id]) => (name.startsWith("refs/") && id) || []);
  const tips = [...ids, ...(head ?? [])];
  try {
    if (tips.length > 0)
      await shadow.readObjects(["rev-list", "--objects", "--no-walk", "--quiet", "--stdin"], {
        input: `${tips.join("\n")}\n`,
      });
    if (state.index === null) return true;
    const index = await buffer(shadow.readBlob(state.index.blob));
    const blobs = new Set(
      listIndex(index)
        .map(({ id }) => id)
        .filter((id) => id !== emptyBlob),
    );
    const input = Array.from(blobs, (id) => `${id}\n`).join("");
    return !(await shadow.readObjects(["cat-file", "--batch-check"], { input })).includes(" missing\n");
  } catch (error) {
    if (error instanceof GitFailure) return false;
    throw error;
  }
}
