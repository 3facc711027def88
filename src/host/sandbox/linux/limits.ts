import { totalmem } from "node:os";

/** What one call may use of the machine. */
export interface SandboxLimits {
  /**
   * Memory for all processes of a call together where a cgroup can be made, otherwise for each.
   * @default half of the machine's memory, at least 1 and at most 8 GiB
   */
  readonly memoryBytes: number;
  /** Threads count too. @default 1024 */
  readonly processes: number;
  /** The size of one file. @default 4 GiB */
  readonly fileBytes: number;
  /** The size of each private temporary folder; it lies in memory. @default 1 GiB */
  readonly temporaryBytes: number;
}

const GiB = 1024 ** 3;

export function withDefaults(limits: Partial<SandboxLimits>): SandboxLimits {
  return {
    memoryBytes: Math.min(8 * GiB, Math.max(GiB, Math.floor(totalmem() / 2))),
    processes: 1024,
    fileBytes: 4 * GiB,
    temporaryBytes: GiB,
    ...limits,
  };
}

/**
 * What a shell says to set them for itself and all it starts. RLIMIT_DATA and not RLIMIT_AS: Node, Go and WebAssembly
 * reserve far more addresses than they use.
 *
 * @param countProcesses whether the limit of processes is this user's alone, inside a user namespace or of an own user
 */
export function limitLines(limits: SandboxLimits, { countProcesses }: { countProcesses: boolean }): string {
  const lines = [
    "ulimit -c 0",
    `ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`,
    // POSIX counts files in 512 bytes, whatever the file system does.
    `ulimit -f ${Math.ceil(limits.fileBytes / 512)}`,
  ];
  // bash and dash disagree on the letter.
  if (countProcesses) lines.push(`ulimit -u ${limits.processes} || ulimit -p ${limits.processes}`);
  return lines.map((line) => `{ ${line}; } 2>/dev/null`).join("\n");
}
