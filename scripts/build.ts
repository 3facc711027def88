// Writes dist/: the program in few files, the types of what the package exports, and the console.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { buildConsole } from "./build-console.ts";
import { buildProgram } from "./bundle.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
await buildProgram(".");
await buildConsole("dist/console");
