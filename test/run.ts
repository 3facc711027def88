import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** For what is found out once, and is true for every test of the run; gone after it. */
    readonly runFolder: string;
  }
}

/** Before all tests, and after them. */
export default function openRun({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "haft-run-"));
  provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
