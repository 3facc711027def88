import { resolve, sep } from "node:path";
import type { OutputChunk, Plugin } from "rolldown";

/**
 * Replacements for files of packages in the built program. These packages load all of their features at once, of which
 * haft uses a few.
 */
const replacements: Readonly<Record<string, (code: string) => string>> = {
  // The index loads each agent, mock and cache, and sets the dispatcher of Node's own fetch.
  "undici/index.js": () => `
    require("./lib/dispatcher/dispatcher").prototype.request = require("./lib/api/api-request");
    module.exports = {
      Agent: require("./lib/dispatcher/agent"),
      buildConnector: require("./lib/core/connect"),
    };`,
  // The connector offers HTTP/1.1 alone, and HTTP/2 loads Node's implementation of it.
  "undici/lib/dispatcher/client-h2.js": () =>
    `module.exports = () => { throw new Error("HTTP/2 is not built in"); };`,
  // The second parser is experimental. Node's own build of undici removes it by the same condition.
  "undici/lib/dispatcher/client-h1.js": (code) =>
    code.replaceAll("typeof esbuildDetection === 'undefined'", "false"),
  // The global `Headers` would load Node's fetch, a second undici, before the first request.
  "@ai-sdk/provider-utils/dist/index.js": (code) =>
    `import { PlainHeaders as Headers } from ${JSON.stringify(resolve("src/providers/ai-sdk/plain-headers.ts"))};\n${code}`,
};

/** Applies the replacements. Fails if one changes nothing. */
export const slimPackages: Plugin = {
  name: "slim-packages",
  transform(code, file) {
    const path = toPackagePath(file);
    const replace = path === undefined ? undefined : replacements[path];
    if (replace === undefined) return undefined;
    const replaced = replace(code);
    if (replaced === code) throw new Error(`Cannot make "${path}" smaller: it has changed`);
    return replaced;
  },
};

/** Fails if a replaced file is not in the build, as when a new version of its package has another name for it. */
export function requireSlimPackages(chunks: readonly OutputChunk[]): void {
  const built = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.map(toPackagePath)));
  const missing = Object.keys(replacements).filter((path) => !built.has(path));
  if (missing.length > 0)
    throw new Error(`Cannot make these smaller, which are not built in: ${missing.join(", ")}`);
}

function toPackagePath(file: string): string | undefined {
  return file.replaceAll(sep, "/").split(/^.*\/node_modules\//)[1];
}
