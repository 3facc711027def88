#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence instead of a syntax error.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `haft: needs Node 22.19 or newer, and this is Node ${process.versions.node}; install one from https://nodejs.org\n`,
  );
  process.exit(1);
}
// A checkout has sources, which run as they are and are never out of date; an installed package has what was built.
const { existsSync } = await import("node:fs");
const sources = new URL("../src/main.ts", import.meta.url);
await import(existsSync(sources) ? sources : new URL("../dist/main.js", import.meta.url));
