import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder in which the haft programs of one user tell each other what they do. It is not among what a sandbox shows,
 * and at the same path whatever `TMPDIR` and haft's home are.
 */
const base = `/tmp/haft-shared-${process.getuid?.() ?? 0}`;

/** This program, so that it can be told from a later one of the same number; and this copy of haft within it. */
export const programMark: string = `${process.pid}-${readStart(process.pid) ?? 0}-${randomBytes(4).toString("hex")}`;

/** The folder for what is told about a subject. It need not exist. */
export function sharedFolder(subject: string): string {
  return join(base, createHash("sha256").update(subject).digest("hex").slice(0, 32));
}

/** Makes that folder. False: there is none that is this user's alone. */
export function openSharedFolder(folder: string): boolean {
  mkdirSync(base, { mode: 0o700, recursive: true });
  if (!isShared()) return false;
  mkdirSync(folder, { recursive: true });
  return true;
}

/** Whether it is this user's alone: in a folder for everybody, anybody may have made it. */
export function isShared(): boolean {
  const { uid, mode } = lstatSync(base);
  return uid === (process.getuid?.() ?? 0) && (mode & 0o170077) === 0o040000;
}

/** The marks of programs that live. Those of others are taken away, after `whenDead`. */
export function livingMarks(folder: string, whenDead: (path: string) => void = () => {}): string[] {
  return readdirSync(folder).filter((name) => {
    const [pid, start] = /(\d+)-(\d+)-[0-9a-f]{8}$/.exec(name)?.slice(1) ?? [];
    if (pid === undefined) return false;
    if (readStart(Number(pid)) === start) return true;
    whenDead(join(folder, name));
    rmSync(join(folder, name), { force: true });
    return false;
  });
}

/** When a process began, in the kernel's count; undefined where there is none that lives. */
function readStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
