import { Sandbox, type SandboxLevel, type SandboxOptions } from "../../src/host/index.ts";

/** A sandbox of one level. */
export function sandboxOf(level: SandboxLevel, options: SandboxOptions = {}): Sandbox {
  return new Sandbox({ atLeast: "none", levels: [level], ...options });
}

/** The levels that hold on this machine, for this user. Prints those that do not, so that a skipped test is seen. */
export async function levelsHere(): Promise<SandboxLevel[]> {
  const found: SandboxLevel[] = [];
  for (const level of ["bubblewrap", "other-user", "process-group"] as const) {
    const sandbox = sandboxOf(level);
    const report = await sandbox.report();
    await sandbox.close();
    if (report.level === level) found.push(level);
    else console.warn(`The level ${level} is not tested here: ${report.detail}`);
  }
  return found;
}
