import { existsSync, lstatSync, readFileSync, rmdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getErrorCode } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";
import { isShared, livingMarks, openSharedFolder, programMark, sharedFolder } from "./shared-folder.ts";

const leaving = "leaving-";
const record = "made";
const longestWaitMs = 2000;

/** A place that this program holds, and others may hold too. */
export interface HeldMark {
  /** Tells the others what was made there. */
  readonly recordMade: (made: Stats) => void;
  /** Ends the holding. `giveBack` runs only where nobody else holds the place; in doubt, it stays. */
  readonly leave: (giveBack: () => void) => void;
}

/**
 * Marks a place as held. A mark counts as long as its program lives, so that one that was killed holds nothing.
 *
 * Whoever leaves says so, takes its mark away, and then looks for others; whoever comes sets its mark, and then
 * looks for somebody leaving. So one of the two sees the other, and no lock can be left behind. Undefined where
 * there is no folder for marks that is this user's alone.
 */
export function markHeld(path: string): HeldMark | undefined {
  const folder = sharedFolder(path);
  if (!setMark(folder)) return undefined;
  awaitLeaving(folder, path);
  return {
    recordMade({ dev, ino }) {
      writeFileSync(join(folder, record), `${dev} ${ino}`);
    },
    leave(giveBack) {
      try {
        writeFileSync(join(folder, leaving + programMark), "");
        rmSync(join(folder, programMark));
        if (holdersIn(folder).length === 0) {
          giveBack();
          rmSync(join(folder, record), { force: true });
        }
        rmSync(join(folder, leaving + programMark));
        rmdirSync(folder);
      } catch {
        // Somebody tidied up here, or others are there.
      }
    },
  };
}

/** Whether what is at a path was made by a haft to hold it, which may have ended since, or may not have said so yet. */
export function isMadeByHaft(path: string): boolean {
  const folder = sharedFolder(path);
  try {
    const { dev, ino } = lstatSync(path);
    if (!isShared()) return false;
    if (existsSync(join(folder, record)))
      return readFileSync(join(folder, record), "utf8") === `${dev} ${ino}`;
    return holdersIn(folder).some((name) => name !== programMark);
  } catch {
    return false;
  }
}

function setMark(folder: string): boolean {
  for (let tries = 0; tries < 100; tries++) {
    try {
      if (!openSharedFolder(folder)) return false;
      writeFileSync(join(folder, programMark), "");
      return true;
    } catch (error) {
      // The folder went in between, with the last that had a mark in it.
      if (getErrorCode(error) !== "ENOENT") return false;
    }
  }
  return false;
}

function holdersIn(folder: string): string[] {
  return livingMarks(folder).filter((name) => !name.startsWith(leaving));
}

/** It takes others less than a millisecond. */
function awaitLeaving(folder: string, path: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; livingMarks(folder).some((name) => name.startsWith(leaving)); waited++) {
    if (waited === longestWaitMs) {
      rmSync(join(folder, programMark), { force: true });
      throw new HostError(
        "SANDBOX_REFUSED",
        `Cannot keep "${path}" from being changed by a command: another haft is about to give it back, and stands still; end it or let it go on`,
        { details: { path } },
      );
    }
    Atomics.wait(clock, 0, 0, 1);
  }
}
