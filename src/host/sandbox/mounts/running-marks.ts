import { readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { livingMarks, openSharedFolder, programMark, sharedFolder } from "./shared-folder.ts";

/** Content of a mark between commands. The file stays, since making and removing one takes longer than writing it. */
const idle = "idle";

/** Says that a command of this program runs that may change a folder, until `end`. */
export interface RunningMark {
  /** Unix ms: since when there are changes by a command of a haft that was killed, and could not look at them. */
  readonly interruptedAt: number | undefined;
  readonly end: () => void;
}

export function markRunning(root: string): RunningMark {
  const folder = markFolder(root);
  const mark = join(folder, programMark);
  let interruptedAt: number | undefined;
  try {
    if (!openSharedFolder(folder)) return { interruptedAt, end() {} };
    livingMarks(folder, (path) => {
      if (readFileSync(path, "utf8") === idle) return;
      interruptedAt = Math.min(interruptedAt ?? Infinity, statSync(path).mtimeMs);
    });
    writeFileSync(mark, "");
  } catch {
    // Without it, only what a killed haft's command left is not told of.
  }
  return {
    interruptedAt,
    end() {
      try {
        writeFileSync(mark, idle);
      } catch {
        // The file was removed, or the disk is full.
        rmSync(mark, { force: true });
      }
    },
  };
}

/** Removes this program's mark of a root, when it runs no more commands. */
export function removeRunningMark(root: string): void {
  const folder = markFolder(root);
  try {
    rmSync(join(folder, programMark), { force: true });
    rmdirSync(folder);
  } catch {
    // Others have marks there.
  }
}

function markFolder(root: string): string {
  return sharedFolder(`commands in ${root}`);
}
