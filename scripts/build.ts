// Compiles src/ to dist/, puts beside it what is served as it is, and bundles the packages of which haft uses a small part.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { type Bundled, bundled } from "./bundled.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
for (const folder of ["server/bridge/page", "modules/embeddings/words"])
  cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true });
for (const one of bundled) await bundle(one);

/** Puts a module and the packages that it takes from into one file, with the licences of all that is in it. */
async function bundle({ module, platform, shared = [] }: Bundled): Promise<void> {
  const file = `dist/${module}.js`;
  // linkedom looks for it, and does without.
  const external = ["canvas", ...shared.map((name) => new RegExp(`^${name}($|/)`))];
  await using made = await rolldown({ input: file, platform, external, logLevel: "silent" });
  const { output } = await made.generate({ minify: true, codeSplitting: false });
  const [{ code, moduleIds, imports }, ...others] = output;
  const isOurs = (name: string) => shared.some((one) => name === one || name.startsWith(`${one}/`));
  const missing = imports.filter((name) => !isBuiltin(name) && name !== "canvas" && !isOurs(name));
  if (others.length > 0 || missing.length > 0)
    throw new Error(
      `"${module}" can't be one file: it also needs ${[...missing, `${others.length} others`].join(", ")}`,
    );
  const packages = new Set(
    moduleIds.flatMap((id) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  );
  const licences = Array.from(packages, (folder) => `${basename(folder)}\n\n${readLicence(folder)}`);
  writeFileSync(file, `/*!\n${licences.join("\n").replaceAll("*/", "* /")}*/\n${code}`);
}

function readLicence(folder: string): string {
  const name = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (name === undefined) throw new Error(`"${folder}" has no licence: it can't be bundled`);
  return readFileSync(join(folder, name), "utf8");
}
