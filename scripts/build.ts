// Writes dist/: the program in few files, and the types of what the package exports.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { buildProgram } from "./bundle.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
await buildProgram(".");
