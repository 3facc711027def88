import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The sources that the package's subpaths stand for, as the compiler's `paths`: for programs that are not within the package. */
export function sourcePaths(): Readonly<Record<string, readonly string[]>> {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly "haft-source": string }>>;
  };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === "string" ? [] : [[`haft${subpath.slice(1)}`, [resolve(target["haft-source"])]]],
    ),
  );
}
