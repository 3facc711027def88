import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, relative, sep } from "node:path";

export interface WatchOptions {
  /** Changes that come closer together are told as one. @default 100 */
  readonly delayMs?: number;
}

/**
 * Tells of changes of a file, or in a folder and all folders in it, and of its coming and going. What it tells may be
 * too much: whoever hears it looks again.
 */
export function watchPath(
  path: string,
  onChange: () => void,
  { delayMs = 100 }: WatchOptions = {},
): { close(): void } {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  /** The entry of `watched` that matters; undefined where all do. */
  let awaited: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const tell = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, delayMs).unref();
  };
  const arm = () => {
    const target = nearestFolder(path);
    if (closed || (target === watched && target !== path)) return;
    watcher?.close();
    watched = target;
    awaited = target === path ? undefined : relative(target, path).split(sep)[0];
    watcher = open(target, target === path, hear);
  };
  const hear = (name?: string) => {
    if (closed) return;
    // A folder where much is written, such as haft's own, tells of all of it.
    if (awaited !== undefined && name !== undefined && name !== awaited) return;
    if (nearestFolder(path) !== watched) arm();
    tell();
  };
  arm();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

function open(folder: string, recursive: boolean, hear: (name?: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { recursive, persistent: false }, (_event, name) =>
      hear(typeof name === "string" ? name : undefined),
    );
    // A folder that goes away is a change like any other.
    watcher.on("error", () => hear());
    return watcher;
  } catch {
    // Too many watches on this machine: what is there stays as it was read.
    return undefined;
  }
}

/** The path if it is a folder, else the nearest one above it. A file is watched from there: who saves it may replace it. */
function nearestFolder(path: string): string {
  const parent = dirname(path);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder || parent === path ? path : nearestFolder(parent);
}
