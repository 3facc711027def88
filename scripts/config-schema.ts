// Writes what is derived from the schema that haft itself checks configurations with: haft.config.schema.json, which
// editors read, and the types of a configuration.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configSchema } from "../src/app/config/config-schema.ts";
import { renderConfigTypes } from "./config-types.ts";

const place = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const file = place("haft.config.schema.json");
writeFileSync(file, `${JSON.stringify(configSchema, null, 2)}\n`);
execFileSync(place("node_modules/.bin/biome"), ["format", "--write", file]);
writeFileSync(place("src/app/config/config-types.ts"), renderConfigTypes(configSchema));
