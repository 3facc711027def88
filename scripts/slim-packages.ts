import { resolve, sep } from "node:path";
import type { OutputChunk, Plugin } from "rolldown";

/**
 * Files of packages and what the program has in their place. These packages load everything that they can do at once,
 * and haft uses a small part of it.
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
  // The second parser is an experiment, which Node's own build leaves out by the same condition.
  "undici/lib/dispatcher/client-h1.js": (code) =>
    code.replaceAll("typeof esbuildDetection === 'undefined'", "false"),
  // The global class loads Node's fetch, a second undici, before the first request.
  "@ai-sdk/provider-utils/dist/index.js": (code) =>
    `import { PlainHeaders as Headers } from ${JSON.stringify(resolve("src/providers/ai-sdk/plain-headers.ts"))};\n${code}`,
};

/** Replaces these files of packages. */
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

/** Refuses a build without one of these files: another version of the package has it under another name. */
export function requireSlimPackages(chunks: readonly OutputChunk[]): void {
  const built = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.map(toPackagePath)));
  const missing = Object.keys(replacements).filter((path) => !built.has(path));
  if (missing.length > 0)
    throw new Error(`Cannot make these smaller, which are not built in: ${missing.join(", ")}`);
}

function toPackagePath(file: string): string | undefined {
  return file.replaceAll(sep, "/").split(/^.*\/node_modules\//)[1];
}
