import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { getErrorCode } from "../../../base/index.ts";
import { isRunning } from "../../process/detached.ts";
import type { SandboxLimits } from "./limits.ts";

/** The processes of one call, counted and bounded together by the kernel. */
export interface Cgroup {
  readonly name: string;
  /** A shell waits in it. */
  readonly isAhead: boolean;
  /** The lists of its processes: writing "0" there joins it. */
  readonly lists: readonly string[];
  /** Removes it once its last process is gone; what can't be removed within a second is left. */
  remove(): void;
}

/** Which limits groups can set here. */
export interface CgroupFeatures {
  readonly memory: boolean;
  readonly processes: boolean;
}

interface Hierarchy extends CgroupFeatures {
  /** The group of this very program. */
  readonly folder: string;
  readonly version: 1 | 2;
}

/**
 * Makes groups below the one this program is in, never beside it, so that whatever bounds haft bounds what it starts.
 * Mostly only root can.
 */
export class Cgroups {
  readonly #hierarchies: readonly Hierarchy[];
  #count = 0;
  #ahead: Cgroup | undefined;
  readonly #removals = new Set<Promise<void>>();

  constructor() {
    this.#hierarchies = process.platform === "linux" ? findHierarchies().filter(canBeUsed) : [];
    for (const { folder } of this.#hierarchies) removeAbandoned(folder);
  }

  get features(): CgroupFeatures {
    return {
      memory: this.#hierarchies.some(({ memory }) => memory),
      processes: this.#hierarchies.some(({ processes }) => processes),
    };
  }

  /** The group that was made ahead, if there is one; it is the caller's then. */
  takeAhead(): Cgroup | undefined {
    const group = this.#ahead;
    this.#ahead = undefined;
    return group;
  }

  /** Makes a group for a later command. Undefined where there is one already, or none can be made. */
  makeAhead(limits: GroupLimits): Cgroup | undefined {
    if (this.#ahead !== undefined) return undefined;
    const group = this.make(limits);
    if (group !== undefined) this.#ahead = { ...group, isAhead: true };
    return group;
  }

  /** Undefined where none can be made. */
  make(limits: GroupLimits): Cgroup | undefined {
    if (this.#hierarchies.length === 0) return undefined;
    const name = `haft-${process.pid}-${++this.#count}`;
    const folders: string[] = [];
    try {
      for (const hierarchy of this.#hierarchies) folders.push(makeGroup(hierarchy, name, limits));
    } catch {
      for (const folder of folders) tryRemove(folder);
      return undefined;
    }
    return {
      name,
      isAhead: false,
      lists: folders.map((folder) => join(folder, "cgroup.procs")),
      remove: () => {
        const removal = removeSoon(folders).finally(() => this.#removals.delete(removal));
        this.#removals.add(removal);
      },
    };
  }

  /** Waits until what was to be removed is. */
  async close(): Promise<void> {
    this.takeAhead()?.remove();
    // The waits in between keep no program alive; whoever waits here does.
    const stay = setInterval(() => {}, 1000);
    try {
      await Promise.all(this.#removals);
    } finally {
      clearInterval(stay);
    }
  }
}

type GroupLimits = Pick<SandboxLimits, "memoryBytes" | "processes">;

/** What bubblewrap and the shells around a command need of the limit. */
const ownProcesses = 5;

function makeGroup(
  { folder, version, memory, processes }: Hierarchy,
  name: string,
  limits: GroupLimits,
): string {
  const group = join(folder, name);
  mkdirSync(group);
  const set = (file: string, value: number) => writeFileSync(join(group, file), String(value));
  try {
    if (memory && version === 1) {
      set("memory.limit_in_bytes", limits.memoryBytes);
      trySet(() => set("memory.memsw.limit_in_bytes", limits.memoryBytes));
    }
    if (memory && version === 2) {
      set("memory.max", limits.memoryBytes);
      trySet(() => set("memory.swap.max", 0));
    }
    if (processes) set("pids.max", limits.processes + ownProcesses);
    return group;
  } catch (error) {
    tryRemove(group);
    throw error;
  }
}

/** Not every kernel counts swap. */
function trySet(set: () => void): void {
  try {
    set();
  } catch {
    // Then memory alone is bounded.
  }
}

function canBeUsed(hierarchy: Hierarchy): boolean {
  try {
    return tryRemove(makeGroup(hierarchy, `haft-${process.pid}-0`, { memoryBytes: 2 ** 30, processes: 64 }));
  } catch {
    return false;
  }
}

/** The groups of this program, one in each hierarchy that bounds memory or processes. */
function findHierarchies(): Hierarchy[] {
  try {
    const own = new Map(
      lines("/proc/self/cgroup").map((line) => {
        const [, controllers = "", ...path] = line.split(":");
        return [controllers, path.join(":")] as const;
      }),
    );
    return lines("/proc/self/mountinfo").flatMap((line) => toHierarchy(line, own) ?? []);
  } catch {
    return [];
  }
}

function toHierarchy(line: string, own: ReadonlyMap<string, string>): Hierarchy | undefined {
  const [place = "", type = ""] = line.split(" - ");
  const [, , , root = "", mount = ""] = place.split(" ");
  const [fileSystem] = type.split(" ");
  const toFolder = (path: string) => join(mount, relative(root, path));
  if (fileSystem === "cgroup2") {
    const folder = toFolder(own.get("") ?? "/");
    const offered = offeredBelow(folder);
    const [memory, processes] = [offered.includes("memory"), offered.includes("pids")];
    return memory || processes ? { folder, version: 2, memory, processes } : undefined;
  }
  if (fileSystem !== "cgroup") return undefined;
  for (const [controllers, path] of own) {
    const names = controllers.split(",");
    const options = (type.split(" ")[2] ?? "").split(",");
    const [memory, processes] = [names.includes("memory"), names.includes("pids")];
    if ((!memory && !processes) || !names.every((name) => options.includes(name))) continue;
    return { folder: toFolder(path), version: 1, memory, processes };
  }
  return undefined;
}

/** The controllers that groups below this one have; asks for them where nobody did. */
function offeredBelow(folder: string): string[] {
  const file = join(folder, "cgroup.subtree_control");
  try {
    writeFileSync(file, "+memory +pids");
  } catch {
    // Not ours to ask, or there are processes in the group itself.
  }
  return readFileSync(file, "utf8").trim().split(" ");
}

function lines(path: string): string[] {
  return readFileSync(path, "utf8").trim().split("\n");
}

async function removeSoon(folders: readonly string[]): Promise<void> {
  // Nobody has to wait for it who waits for the result.
  await setImmediate(undefined, { ref: false });
  for (let pauseMs = 1; pauseMs <= 512; pauseMs *= 2) {
    if (folders.map(tryRemove).every(Boolean)) return;
    await delay(pauseMs, undefined, { ref: false });
  }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return getErrorCode(error) === "ENOENT";
  }
}

/** Groups of a haft that was killed. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^haft-(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) tryRemove(join(folder, name));
  }
}
