import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import type { McpServerConfig } from "../../src/mcp/index.ts";
import type { HostileServer } from "../fixtures/attacks/hostile-server.ts";
import type { OpenInstallation } from "../support/installation.ts";
import type { Gate } from "./gate.ts";
import type { World } from "./world.ts";

const program = fileURLToPath(new URL("../fixtures/attacks/hostile-server.ts", import.meta.url));

/** An MCP server of a story, with what its owner configures beside its command. */
export interface ServerOfStory extends HostileServer {
  readonly config?: Partial<McpServerConfig>;
}

export type ServersOfStory = Readonly<Record<string, ServerOfStory>>;

/** Puts their program and what they are into the project. */
export function layOutServers(world: World, servers: ServersOfStory): void {
  mkdirSync(join(world.folder, "servers"), { recursive: true });
  copyFileSync(program, programIn(world));
  for (const [name, server] of Object.entries(servers)) become(world, name, server);
}

/** From its next answer on, the server is this. */
export function become(world: World, name: string, { config: _config, ...server }: ServerOfStory): void {
  world.file(`servers/${name}.json`, JSON.stringify(server));
}

/** `mcpServers` of a configuration. With an open gate nothing keeps them in, and nobody looks at a change. */
export function serversConfig(world: World, servers: ServersOfStory, gate: Gate): string {
  const open = gate === "open" ? { unconfined: true, pin: false } : {};
  const entries = Object.entries(servers).map(([name, { config }]) => [
    name,
    { ...toStart(world, name), ...open, ...config },
  ]);
  return `mcpServers: ${JSON.stringify(Object.fromEntries(entries))}\n`;
}

/** How a server is started, as any client has it. */
function toStart(world: World, name: string): { command: string; args: string[] } {
  const file = join(world.folder, "servers", `${name}.json`);
  return { command: process.execPath, args: [programIn(world), file] };
}

/** Waits until what a server says now has been taken in: offered, or put aside. */
export async function untilListed({ app }: OpenInstallation, server: string, word: string): Promise<void> {
  const { mcp } = app.sources;
  await vi.waitFor(
    () => {
      const putAside = mcp?.health().find((one) => one.server === server)?.quarantined ?? [];
      const known = JSON.stringify(mcp?.listTools(server) ?? []);
      if (putAside.length === 0 && !known.includes(word)) throw new Error(`"${word}" is not listed yet`);
    },
    { timeout: 30_000, interval: 50 },
  );
}

function programIn(world: World): string {
  return join(world.folder, "servers", "server.ts");
}
