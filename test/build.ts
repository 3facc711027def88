import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { buildConsole } from "../scripts/build-console.ts";
import { buildProgram, bundle } from "../scripts/bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What tests start by the hundred, each program in few files: finding them is most of what a start takes. */
    readonly built: string;
  }
}

const fixtures = [
  "test/fixtures/mcp/interop-stdio.ts",
  ...[
    "held",
    "cycle",
    "remember",
    "gated-call",
    "troubled-store",
    "troubled-workspace",
    "unfinished-write",
    "task-steps",
  ].map((name) => `test/fixtures/store/${name}.ts`),
];

export default async function openBuilt(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "haft-built-"));
  // Workers of another user run from here, too.
  chmodSync(folder, 0o755);
  project.provide("built", folder);
  for (const name of ["bin", "package.json", "haft.config.schema.json"])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const tryToBuild = () => build(folder).catch(tellWhy);
  await tryToBuild();
  project.onTestsRerun(tryToBuild);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The program and the console exactly as they are installed, and beside them the programs of the tests. */
async function build(folder: string): Promise<void> {
  await buildProgram(folder);
  await bundle(fixtures, folder, "test/chunks");
  await buildConsole(join(folder, "dist/console"));
}

/** Most tests need none of it: those that do fail at the program that is not there. */
function tellWhy(error: unknown): void {
  process.stderr.write(`Cannot put the programs of the tests together: ${String(error)}\n`);
}
