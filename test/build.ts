import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { TestProject } from "vitest/node";
import { findBuilt, placeBuilt, startsBuilt, toBuiltPath } from "./support/started-built.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What tests start by the hundred, each program in few files: finding them is most of what a start takes. */
    readonly built: string;
  }
}

const programs = [
  "src/main.ts",
  // What haft starts itself, and what a worker gives to extensions.
  "src/host/process/helper.ts",
  "src/sources/extensions/worker.ts",
  "src/modules/script/script-worker.ts",
  "src/modules/files/pdf-worker.ts",
  "src/modules/web/page/page-worker.ts",
  "src/kernel/index.ts",
  "test/fixtures/mcp/interop-stdio.ts",
  ...[
    "held",
    "cycle",
    "remember",
    "gated-call",
    "troubled-store",
    "troubled-workspace",
    "unfinished-write",
  ].map((name) => `test/fixtures/store/${name}.ts`),
];

export default async function openBuilt(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "haft-built-"));
  // Workers of another user run from here, too.
  chmodSync(folder, 0o755);
  project.provide("built", folder);
  for (const name of ["bin", "package.json"]) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const tryToBuild = () => build(folder).catch(tellWhy);
  await tryToBuild();
  project.onTestsRerun(tryToBuild);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Puts the modules of each program together, laid out as haft is installed. */
async function build(folder: string): Promise<void> {
  await using bundle = await rolldown({
    input: Object.fromEntries(programs.map((source) => [toBuiltPath(source), source])),
    platform: "node",
    resolve: { conditionNames: ["haft-source", "node", "import"] },
    // Packages stay as they are installed, but for the one that has hundreds of files and that all programs load.
    external: (id: string, importer = "") =>
      /^[\w@]/.test(id) && !id.startsWith("kysely") && !importer.includes("/kysely/"),
    plugins: [{ name: "own-place", transform: (code, file) => keepPlace(code, file, folder) }],
  });
  await bundle.write({
    dir: folder,
    entryFileNames: "[name]",
    chunkFileNames: "dist/chunks/[name]-[hash].js",
  });
}

/** Most tests need none of it: those that do fail at the program that is not there. */
function tellWhy(error: unknown): void {
  process.stderr.write(`Cannot put the programs of the tests together: ${String(error)}\n`);
}

/** What a module finds beside itself, it finds beside its source, but for the programs that are here. */
function keepPlace(code: string, file: string, folder: string): string {
  const placed = startsBuilt(file)
    ? placeBuilt(code, JSON.stringify(findBuilt(file, folder)))
    : code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href));
  return placed
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(file)))
    .replaceAll("import.meta.filename", JSON.stringify(file));
}
