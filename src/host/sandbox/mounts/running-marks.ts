import { rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { livingMarks, openSharedFolder, programMark, sharedFolder } from "./shared-folder.ts";

/** Says that a command of this program runs that may change a folder, until `end`. */
export interface RunningMark {
  /** Unix ms: since when there are changes by a command of a haft that was killed, and could not look at them. */
  readonly interruptedAt: number | undefined;
  readonly end: () => void;
}

export function markRunning(root: string): RunningMark {
  const folder = sharedFolder(`commands in ${root}`);
  const mark = join(folder, programMark);
  let interruptedAt: number | undefined;
  try {
    if (!openSharedFolder(folder)) return { interruptedAt, end() {} };
    livingMarks(folder, (path) => {
      interruptedAt = Math.min(interruptedAt ?? Infinity, statSync(path).mtimeMs);
    });
    writeFileSync(mark, "");
  } catch {
    // Without it, only what a killed haft's command left is not told of.
  }
  return {
    interruptedAt,
    end() {
      rmSync(mark, { force: true });
      try {
        rmdirSync(folder);
      } catch {
        // Others are there.
      }
    },
  };
}
