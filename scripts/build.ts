// Compiles src/ to dist/, and puts beside it what is served as it is.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
for (const folder of ["server/bridge/page", "modules/embeddings/words"])
  cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true });
