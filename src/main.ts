import { createRequire, enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const { version } = createRequire(import.meta.filename)(join(root, "package.json")) as {
  readonly version: string;
};

// The commonest question of scripts is answered before anything is loaded.
if (args[0] === "--version" || args[0] === "-V") process.stdout.write(`${version}\n`);
else {
  enableCompileCache();
  // Modules that are loaded outlive the young generation, which V8 would make 32 MiB large for them: growYoungGeneration().
  // Later versions of V8 may not know the flag, and would say so at each start.
  if (Number.parseInt(process.versions.v8, 10) <= 13) setFlagsFromString("--semi-space-growth-factor=1");
  const { runCommandLine } = await import("./cli/index.ts");
  const exitCode = await runCommandLine(args, {
    streams: process,
    version,
    root,
    program: [process.execPath, process.argv[1] as string],
  });
  // What a tool left running must not keep the process alive.
  process.exit(exitCode);
}
