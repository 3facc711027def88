import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { getErrorCode } from "../../base/index.ts";
import { findMembers, isUninterruptible, type ProcessTree } from "./tree.ts";

/** What ends by itself right after the shell (a process substitution that writes its last line) is let finish. */
const finishMs = 200;
/** Time between SIGTERM and SIGKILL: a longer one makes a cancelled call slow to return, with a shorter one programs can't clean up. */
const politeMs = 400;
/**
 * The time after which what is left (in an uninterruptible wait, or another user's) is reported, not waited
 * for.
 */
const killMs = 1200;
/** The same time for a process that has the signal and can end, which on a busy machine takes it longer. */
const endingMs = 4000;

/**
 * Ends everything a tree has: SIGTERM, then SIGKILL until nothing is left. Resolves with the number of
 * processes that could not be ended.
 */
export async function stopTree(tree: ProcessTree): Promise<number> {
  if (process.platform === "win32") return stopOnWindows(tree);
  signalAll(tree, "SIGTERM");
  if (await isGoneWithin(tree, politeMs)) return 0;
  const begun = Date.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const { left, ending } = signalAll(tree, "SIGKILL");
    if (left === 0 || Date.now() - begun >= (ending ? endingMs : killMs)) return left;
    await delay(pauseMs);
  }
}

export interface LeftBehind {
  /** Processes still there when the command had ended, and now ended too. */
  readonly ended: number;
  /** Those that could not be ended. */
  readonly remaining: number;
}

/** Ends what a command left running when its own process ended. A supervisor has done so already, and said of how many. */
export async function stopLeftBehind(tree: ProcessTree, said: number): Promise<LeftBehind> {
  if (tree.confinement?.supervised === true) {
    return { ended: said, remaining: (await isGoneWithin(tree, killMs)) ? 0 : await stopTree(tree) };
  }
  if (findMembers(tree).length === 0 || (await isGoneWithin(tree, finishMs))) return nothingLeft;
  const found = findMembers(tree).length;
  const remaining = await stopTree(tree);
  return { ended: Math.max(0, found - remaining), remaining };
}

const nothingLeft: LeftBehind = { ended: 0, remaining: 0 };

async function isGoneWithin(tree: ProcessTree, ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  for (let pauseMs = 1; findMembers(tree).length > 0; pauseMs = Math.min(pauseMs * 2, 25)) {
    if (Date.now() >= until) return false;
    await delay(pauseMs);
  }
  return true;
}

/**
 * Whole groups first, in one step of the kernel: a group that forks faster than we count can't outrun it. The wall of a
 * namespace is not asked to end, since all within would be killed with it before they were asked. Returns how many there
 * were, and whether one of them has the signal and can end.
 */
function signalAll(
  tree: ProcessTree,
  signal: "SIGTERM" | "SIGKILL",
): { readonly left: number; readonly ending: boolean } {
  const members = findMembers(tree);
  const spared = tree.confinement?.supervised === true && signal === "SIGTERM" ? tree.rootPid : undefined;
  for (const group of new Set(members.map((member) => member.group)))
    if (group !== undefined && group > 1 && group !== spared) send(-group, signal);
  const told = members.filter(({ pid }) => pid > 1 && pid !== spared && send(pid, signal));
  return { left: members.length, ending: told.some(({ pid }) => !isUninterruptible(pid)) };
}

function send(target: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // It ended first, or belongs to another user; the next look tells.
    return false;
  }
}

function stopOnWindows(tree: ProcessTree): Promise<number> {
  return new Promise((resolve) => {
    const killer = spawn("taskkill", ["/pid", String(tree.rootPid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    });
    killer.on("error", () => resolve(1));
    // It fails for a process that has ended already, too.
    killer.on("exit", (code) => resolve(code === 0 || !isAlive(tree.rootPid) ? 0 : 1));
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === "EPERM";
  }
}
