import { readdirSync, readFileSync, statSync } from "node:fs";

/** The variable that carries the cookie of a {@link ProcessTree}; a run within a run adds its own behind a dot. */
export const cookieName = "HAFT_PROCESS";

/** What identifies and ends the processes of a confined run, in addition to what every run has. */
export interface Confinement {
  /**
   * The process started is the wall around a process namespace: all within ends when it is killed. It gets a
   * descriptor 3 on which to say that the command begins, and how many processes it left behind; the script is
   * descriptor 4 then.
   */
  readonly supervised?: boolean;
  /** The list of a cgroup that holds all of them, and nothing else. */
  readonly group?: string | undefined;
  /** A user who is nobody but them. */
  readonly user?: number;
}

/** What one command started, as far as it can be told from outside. */
export interface ProcessTree {
  /** The command's own process: leader of a new session and a new group. -1: not known. */
  readonly rootPid: number;
  /** Stands in the environment of everything the command started, unless that was given another environment. */
  readonly cookie: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly confinement?: Confinement | undefined;
  /** The command's own process has ended, and its number may be used again. */
  rootExited: boolean;
}

export interface TreeMember {
  readonly pid: number;
  /** The group it is in, where the tree made it; a signal to all of another one would hit strangers. */
  readonly group: number | undefined;
}

/**
 * The living processes of a tree. On Linux: all that carry the cookie, share the command's session or group, or
 * descend from one that does; only a process that changed environment *and* session *and* lost its parent is
 * missed, and that only where no cgroup or user of its own gives it away. Elsewhere: the command's group as a whole.
 */
export function findMembers(tree: ProcessTree): TreeMember[] {
  if (isEmptied(tree)) return [];
  return process.platform === "linux" && newestPid() !== undefined ? scanUntilStill(tree) : listGroup(tree);
}

/**
 * Whether the process group of a namespace is empty. Its processes can't leave the group, so none has to be searched
 * for then.
 */
function isEmptied({ rootExited, confinement }: ProcessTree): boolean {
  if (!rootExited || confinement?.supervised !== true || confinement.group === undefined) return false;
  return readProc(confinement.group)?.byteLength === 0;
}

function listGroup({ rootPid, rootExited }: ProcessTree): TreeMember[] {
  if (process.platform === "win32") return rootExited ? [] : [{ pid: rootPid, group: rootPid }];
  try {
    if (rootPid <= 1) return [];
    process.kill(-rootPid, 0);
    return [{ pid: rootPid, group: rootPid }];
  } catch {
    return [];
  }
}

/** Numbers are given in order: until they wrap around, all that a command starts comes after it. */
const longestWithoutWrap = 2000;
const mostScans = 4;

/** A process that started while the scan ran may have been missed: scans again until none did. */
function scanUntilStill(tree: ProcessTree): TreeMember[] {
  for (let scans = 1; ; scans++) {
    const newest = newestPid() ?? 0;
    if (tree.rootExited && newest === tree.rootPid) return []; // Nothing was started after it.
    const wrapped = newest < tree.rootPid || Date.now() - tree.startedAt > longestWithoutWrap;
    const members = scan(tree, wrapped ? 0 : tree.rootPid);
    if (scans === mostScans || newestPid() === newest) return members;
  }
}

function scan(tree: ProcessTree, from: number): TreeMember[] {
  const { group, user } = tree.confinement ?? {};
  const grouped = group === undefined ? noPids : pidsIn(group);
  // Nothing leaves a namespace, and the cookie outside is a stranger's.
  const cookie = tree.confinement?.supervised === true && tree.rootPid > 0 ? undefined : tree.cookie;
  const others: ProcessStat[] = [];
  const members = new Map<number, ProcessStat>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!(pid >= from) || pid === process.pid || (tree.rootExited && pid === tree.rootPid)) continue;
    const stat = readStat(pid);
    if (stat === undefined) continue;
    if (pid === tree.rootPid || grouped.has(pid) || belongsTo(user, pid) || hasCookie(pid, cookie))
      members.set(pid, stat);
    else others.push(stat);
  }
  // A session or group has the number of whoever made it. One that a stranger made is no sign of anything: a server
  // that a command talked to may start programs with the command's environment.
  const isOwn = (id: number) => id === tree.rootPid || members.has(id);
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const stat of others) {
      if (members.has(stat.parent) || isOwn(stat.session) || isOwn(stat.group)) members.set(stat.pid, stat);
    }
  }
  return Array.from(members.values(), ({ pid, group }) => ({ pid, group: isOwn(group) ? group : undefined }));
}

const noPids: ReadonlySet<number> = new Set();

function pidsIn(group: string): ReadonlySet<number> {
  const list = readProc(group)?.toString("latin1").trim() ?? "";
  return list === "" ? noPids : new Set(list.split("\n").map(Number));
}

function belongsTo(user: number | undefined, pid: number): boolean {
  if (user === undefined) return false;
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === user;
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Undefined for a process that is gone or dead, and for a thread of the kernel. */
function readStat(pid: number): ProcessStat | undefined {
  const fields = readFields(pid);
  if (fields === undefined) return undefined;
  const [state, parent, group, session] = fields;
  const memoryBytes = Number(fields[20]);
  if (state === "Z" || state === "X" || memoryBytes === 0) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** What the machine tells of a process, also of one that ended and was not waited for; undefined where it tells nothing. */
export function readState(pid: number): { readonly startedAt: string; readonly ended: boolean } | undefined {
  const fields = readFields(pid);
  const startedAt = fields?.[19];
  if (startedAt === undefined) return undefined;
  return { startedAt, ended: fields?.[0] === "Z" || fields?.[0] === "X" };
}

/** Whether a process is in an uninterruptible wait of the kernel: no signal reaches it before that is over. */
export function isUninterruptible(pid: number): boolean {
  return readFields(pid)?.[0] === "D";
}

/** The fields of `/proc/PID/stat` from the third on: the second, the name, stands in parentheses and may contain anything. */
function readFields(pid: number): string[] | undefined {
  const text = readProc(`/proc/${pid}/stat`)?.toString("latin1");
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/**
 * A process that becomes another program has no environment for that moment, which is long on a busy machine. One
 * that was given none has a place for it all the same (`env_end` of proc(5)), and is believed at the fifth look.
 */
function hasCookie(pid: number, cookie: string | undefined): boolean {
  if (cookie === undefined) return false;
  for (let waits = 0, looks = 1; waits <= mostWaits && looks <= 5; ) {
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment === undefined) return false;
    if (environment.byteLength > 0) return environment.includes(cookie);
    if (readFields(pid)?.[48] !== "0") looks++;
    else if (++waits > spins) Atomics.wait(sleeper, 0, 0, 1);
  }
  return false;
}

const spins = 10;
/** Those after the first are of 1 ms each. */
const mostWaits = 50;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** The number given last; undefined where the machine does not say. */
function newestPid(): number | undefined {
  const newest = Number(readProc("/proc/loadavg")?.toString("latin1").trim().split(" ")[4]);
  return Number.isInteger(newest) ? newest : undefined;
}

function readProc(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
