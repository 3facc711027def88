import { toBuiltPath } from "../../scripts/bundle.ts";

/** Modules that start a program which lies beside them, or load one there: all of them by `import.meta.url`. */
const starters =
  /\/src\/.*\/(?:helper-client|worker-process|worker\/modules|script\/run-program|files\/read-pdf|page\/send-page-job)\.ts$/;

/** The entry of a thread, which is named as the source it is. */
const entries = /new URL\("(\.\/[\w-]+)\.ts", import\.meta\.url\)/g;

/**
 * Has haft start its programs as they are built where it runs inside a test, as it does where it is started by one. The text
 * names no folder, since modules are cached from run to run; `setup.ts` says where.
 */
export const startBuilt = {
  name: "start-built",
  enforce: "pre" as const,
  transform(code: string, id: string): string | undefined {
    if (!starters.test(id.replaceAll("\\", "/"))) return undefined;
    const url = `new URL(${JSON.stringify(toBuiltPath(id))}, globalThis.haftBuilt).href`;
    return code
      .replace(entries, (_, name: string) => `new URL("${name}.js", import.meta.url)`)
      .replaceAll("import.meta.url", url);
  },
};
