import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What the operating system reports about a process. */
export interface ProcessFacts {
  readonly pid: number;
  /** The program and its arguments; empty if they cannot be read. */
  readonly args: readonly string[];
  /** Environment variables at its start; empty if they cannot be read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Maximum number of ancestors to follow, in case the reported parents form a loop. */
const mostParents = 100;

/**
 * Lists the ancestors of this process, nearest first. The list is empty on Windows; environment variables are known
 * only on Linux.
 */
export function listAncestors(): readonly ProcessFacts[] {
  if (process.platform === "win32") return [];
  const look = process.platform === "linux" ? readLinuxProcess : tableLookup();
  const found: ProcessFacts[] = [];
  let pid = process.ppid;
  while (pid > 1 && found.length < mostParents) {
    const seen = look(pid);
    if (seen === undefined) break;
    found.push(seen.facts);
    pid = seen.parent;
  }
  return found;
}

type Look = (pid: number) => { readonly facts: ProcessFacts; readonly parent: number } | undefined;

const readLinuxProcess: Look = (pid) => {
  const status = read(`/proc/${pid}/stat`);
  if (status === undefined) return undefined;
  // The name stands in parentheses and may contain anything.
  const parent = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  const entries = (read(`/proc/${pid}/environ`) ?? "").split("\0").filter((entry) => entry.includes("="));
  const environment = Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
  const args = (read(`/proc/${pid}/cmdline`) ?? "").split("\0").filter((arg) => arg !== "");
  return { facts: { pid, args, environment }, parent };
};

/** Creates a lookup of processes in the output of `ps`; without `ps` it finds none. */
function tableLookup(): Look {
  const rows = new Map<number, { readonly facts: ProcessFacts; readonly parent: number }>();
  for (const line of processTable().split("\n")) {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    const facts = { pid: Number(pid), args: command.split(" "), environment: {} };
    rows.set(facts.pid, { facts, parent: Number(parent) });
  }
  return (pid) => rows.get(pid);
}

function processTable(): string {
  try {
    return execFileSync("/bin/ps", ["-A", "-ww", "-o", "pid=,ppid=,command="], {
      encoding: "utf8",
      timeout: 5000,
      maxBuffer: 2 ** 25,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
