import { readdirSync, readFileSync } from "node:fs";

const variable = "HAFT_BENCH_MARK";

/** Given to a program in its environment; what it starts inherits it, also what outlives its parent. */
export function toMark(mark: string): Record<string, string> {
  return { [variable]: mark };
}

interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly args: readonly string[];
  readonly isMarked: boolean;
  readonly residentMiB: number;
}

/** The processes with a mark, and all below them; none where there is no /proc. */
export function markedProcesses(mark: string): Found[] {
  const all = processIds().flatMap((pid) => look(pid, `${variable}=${mark}`) ?? []);
  const found = new Set(all.filter(({ isMarked }) => isMarked).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function look(pid: number, marked: string): Found | undefined {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
    const status = read("status");
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return {
      pid,
      parent: field("PPid"),
      args: read("cmdline").split("\0"),
      isMarked: read("environ").split("\0").includes(marked),
      residentMiB: field("VmRSS") / 1024,
    };
  } catch {
    return undefined; // It has ended, or is another user's.
  }
}
