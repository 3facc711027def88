import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";

/*
 * Runs in a sandbox, before the command: `node bridge.mjs PORT SOCKET DESCRIPTORS PROGRAM ARGS…`. Whoever connects to the
 * loopback port talks to haft's proxy behind the socket, the only way out. It imports nothing of ours: it stands alone in there.
 */

const [port, socket, descriptors, program, ...args] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  ...string[],
];

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socket, allowHalfOpen: true });
  client.pipe(proxy).pipe(client);
  client.on("error", () => proxy.destroy());
  proxy.on("error", () => client.destroy());
  client.on("close", () => proxy.destroy());
  proxy.on("close", () => client.destroy());
});

server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { stdio: Array.from({ length: Number(descriptors) }, (_, fd) => fd) });
  child.on("error", () => process.exit(126));
  child.on("exit", (code) => process.exit(code ?? 137));
});
server.on("error", () => process.exit(126));

// The command is told, and ends or is ended; the bridge stays for it until then.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
