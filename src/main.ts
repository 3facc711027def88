import { createRequire, enableCompileCache } from "node:module";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const { version } = createRequire(import.meta.filename)(join(root, "package.json")) as {
  readonly version: string;
};

// The commonest question of scripts is answered before anything is loaded.
if (args[0] === "--version" || args[0] === "-V") process.stdout.write(`${version}\n`);
else {
  enableCompileCache();
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
