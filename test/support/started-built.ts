import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Modules that start a program which lies beside them, or load one there: all of them by `import.meta.url`. */
const starters =
  /\/src\/.*\/(?:helper-client|worker-process|worker\/modules|script\/run-program|files\/read-pdf|page\/send-page-job)\.ts$/;

/** The entry of a thread, which is named as the source it is. */
const entries = /new URL\("(\.\/[\w-]+)\.ts", import\.meta\.url\)/g;

/** Whether a module is to start programs as they are put together for the tests, each in one file instead of a hundred. */
export function startsBuilt(file: string): boolean {
  return starters.test(file.replaceAll("\\", "/"));
}

/** Where a module would lie among the programs that are put together in `folder`. */
export function findBuilt(file: string, folder: string): string {
  return pathToFileURL(join(folder, toBuiltPath(file))).href;
}

/** A module's code with the place where it would lie among the built programs in the place of its own. */
export function placeBuilt(code: string, url: string): string {
  return code
    .replace(entries, (_, name: string) => `new URL("${name}.js", import.meta.url)`)
    .replaceAll("import.meta.url", url);
}

/** The path of a source once it is built. */
export function toBuiltPath(source: string): string {
  return relative(".", source)
    .replace(/^src\b/, "dist")
    .replace(/\.ts$/, ".js");
}

/**
 * Has haft start its programs as they are built where it runs inside a test, as it does where it is started by one. The text
 * names no folder, since modules are cached from run to run; `setup.ts` says where.
 */
export const startBuilt = {
  name: "start-built",
  enforce: "pre" as const,
  transform(code: string, id: string): string | undefined {
    if (!startsBuilt(id)) return undefined;
    const path = JSON.stringify(toBuiltPath(id).replaceAll("\\", "/"));
    return placeBuilt(code, `new URL(${path}, globalThis.haftBuilt).href`);
  },
};
