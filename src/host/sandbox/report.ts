/** Ways to keep commands in, from the strongest to none. */
export const sandboxLevels = [
  "bubblewrap",
  "unshare",
  "seatbelt",
  "other-user",
  "process-group",
  "none",
] as const;
/**
 * How a command is kept in, strongest first.
 *
 * - `bubblewrap`: it changes only the folders it was given, sees no other file of a user, reaches no host but those it was
 *   given, and is gone as a whole with its first process.
 * - `unshare`: the same promises, kept by util-linux's `unshare` and perl where bubblewrap does not run.
 * - `seatbelt`: on a Mac, it changes only the folders it was given, reads no other file of a user, and reaches no host but
 *   those it was given. What leaves its process group may outlive it, under the same rules.
 * - `other-user`: it runs as a user who owns nothing, and can't become another. It reads and changes what anybody may, and
 *   has the machine's network.
 * - `process-group`: it has all the rights of haft itself; what it starts is found and ended.
 * - `none`: not even that.
 */
export type SandboxLevel = (typeof sandboxLevels)[number];

/** What holds a command to each limit; `none`: nothing does. */
export interface LimitsReport {
  /** `cgroup`: all processes of a call together. `rlimit`: each by itself. */
  readonly memory: "cgroup" | "rlimit" | "none";
  /** `rlimit`: all calls of the same user together, inside the sandbox. */
  readonly processes: "cgroup" | "rlimit" | "none";
  readonly fileSize: "rlimit" | "none";
  /** What may be written to the private temporary folders. `none`: half of the machine's memory. */
  readonly temporary: "tmpfs" | "none";
}

/** What holds on this machine. */
export interface SandboxReport {
  /** The strongest level whose canary held. */
  readonly level: SandboxLevel;
  /** Commands may run at this level: it is at least what the operator asks for. */
  readonly sufficient: boolean;
  readonly limits: LimitsReport;
  /** What was tried and what came of it. */
  readonly detail: string;
  /** What to do for a better level; absent where there is none. */
  readonly remedy?: string;
}

export const noLimits: LimitsReport = {
  memory: "none",
  processes: "none",
  fileSize: "none",
  temporary: "none",
};

/** What keeps a command in, whichever level does it. */
export type SandboxPromise =
  | "files outside unchanged"
  | "homes unread"
  | "no network"
  | "private temporary folders"
  | "own process tree";

/** Together they make a command confined: what it does by itself harms nothing but the folders that it was given. */
export const confinedPromises: readonly SandboxPromise[] = [
  "files outside unchanged",
  "homes unread",
  "no network",
];

/** A namespace of its own is gone as a whole, and `/tmp` is another one in it. */
const namespacePromises: readonly SandboxPromise[] = [
  ...confinedPromises,
  "private temporary folders",
  "own process tree",
];

const promisesByLevel: Readonly<Record<SandboxLevel, readonly SandboxPromise[]>> = {
  bubblewrap: namespacePromises,
  unshare: namespacePromises,
  seatbelt: confinedPromises,
  "other-user": [],
  "process-group": [],
  none: [],
};

/** Whether a level keeps all of these promises. Of no level at all: none. */
export function keepsPromises(
  level: SandboxLevel | undefined,
  promises: readonly SandboxPromise[] = confinedPromises,
): boolean {
  return level !== undefined && promises.every((promise) => promisesByLevel[level].includes(promise));
}

/** Whether `level` keeps a command in at least as well as `atLeast`. */
export function holds(level: SandboxLevel, atLeast: SandboxLevel): boolean {
  return sandboxLevels.indexOf(level) <= sandboxLevels.indexOf(atLeast);
}

const confined =
  "it can change only the allowed folders, sees no other file of yours, and reaches no host but those named here";

const descriptions: Readonly<Record<SandboxLevel, string>> = {
  bubblewrap: `sandbox (bubblewrap): ${confined}`,
  unshare: `sandbox (unshare): ${confined}`,
  seatbelt: `sandbox (seatbelt): ${confined}; what it leaves running may go on, kept in the same way`,
  "other-user": "runs as another user without rights: it can read what anybody may, and has the network",
  "process-group": "no sandbox: it runs with your rights, and everything it starts ends with it",
  none: "no sandbox: it runs with your rights, and what it starts may outlive it",
};

/** One line for people, about what keeps a command in. */
export function describeIsolation({
  level,
  sufficient,
}: Pick<SandboxReport, "level" | "sufficient">): string {
  return sufficient ? descriptions[level] : "none that is enough: commands are refused";
}
