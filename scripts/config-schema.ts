// Writes haft.config.schema.json, which editors read, from the schema that haft itself checks configurations with.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configSchema } from "../src/app/index.ts";

const file = fileURLToPath(new URL("../haft.config.schema.json", import.meta.url));
const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

writeFileSync(file, `${JSON.stringify(configSchema, null, 2)}\n`);
execFileSync(biome, ["format", "--write", file]);
