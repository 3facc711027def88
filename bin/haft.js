#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence instead of a syntax error.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// A checkout has sources, which run as they are and are never out of date; an installed package has what was built.
const sources = new URL("../src/main.ts", import.meta.url);
const isCheckout = existsSync(sources);
const needed = isCheckout ? [24, 0] : [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > needed[0] || (major === needed[0] && minor >= needed[1])) {
  await import(isCheckout ? sources : new URL("../dist/main.js", import.meta.url));
} else {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const own = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, import.meta.url));
  if (existsSync(own)) await runWith(own);
  else {
    const remedy = isCheckout
      ? "run `npm ci` in its folder, which brings one"
      : "install one from https://nodejs.org";
    process.stderr.write(
      `haft: needs Node ${needed.join(".")} or newer, and this is Node ${process.versions.node}; ${remedy}\n`,
    );
    process.exit(1);
  }
}

/** Goes on in another Node, on the same terminal or pipes, and leaves as that one does. */
async function runWith(node) {
  const { spawn } = await import("node:child_process");
  // By the same link: messages name the command that this haft is started with.
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
  });
  // Ctrl-C reaches both by the terminal; what is sent to this process alone is passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  child.on("error", (error) => {
    process.stderr.write(`haft: cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
