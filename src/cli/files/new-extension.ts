import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { TypePlaces } from "../../sources/index.ts";

/**
 * Writes a first tool in TypeScript and, where there is none yet, what editors and `tsc` find its types by.
 *
 * @throws {Error} EEXIST where the tool's file is there already.
 */
export async function writeExtension(file: string, name: string, root: string): Promise<void> {
  const { extensionConfigText, newExtensionText } = await import("../../sources/index.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, newExtensionText(name), { flag: "wx" });
  const folder = dirname(dirname(file));
  const config = join(folder, "tsconfig.json");
  if (existsSync(config)) return;
  writeFileSync(config, extensionConfigText(findTypes(root)));
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "tsconfig.json\n");
}

/** The declarations of a built haft; in a checkout its source. */
function findTypes(root: string): TypePlaces {
  const source = join(root, "src/public/kernel.ts");
  const node = packageFolder("@types/node");
  return {
    haft: existsSync(source) ? source : join(root, "dist/public/kernel.d.ts"),
    packages: Object.fromEntries(
      ["zod", "typebox"].flatMap((name) => {
        const folder = packageFolder(name);
        return folder === undefined ? [] : [[name, folder]];
      }),
    ),
    node: node && dirname(node),
  };
}

function packageFolder(name: string): string | undefined {
  try {
    const file = findPackageJSON(name, import.meta.url);
    return file && dirname(file);
  } catch {
    return undefined; // It is not installed.
  }
}
