import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { Sandbox, type SandboxLevel } from "../src/host/index.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** For what is found out once, and is true for every test of the run; gone after it. */
    readonly runFolder: string;
    /** The strongest level of isolation here. */
    readonly isolation: SandboxLevel;
  }
}

/** Before all tests, and after them. */
export default async function openRun({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "haft-run-"));
  provide("runFolder", folder);
  const sandbox = new Sandbox({ atLeast: "none" });
  provide("isolation", (await sandbox.report()).level);
  await sandbox.close();
  return () => rmSync(folder, { recursive: true, force: true });
}
