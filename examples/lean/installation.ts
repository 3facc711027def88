import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp, Home } from "haft/app";
import { serverEntries, servers } from "./servers.ts";

export interface ConnectedServer {
  readonly name: string;
  /** As it says itself. */
  readonly version: string;
  readonly tools: number;
  /** Until its tools were there; all servers start at once. Absent: it could not be connected. */
  readonly ms?: number;
  readonly reason?: string;
}

export interface DemoInstallation {
  readonly app: App;
  readonly connected: readonly ConnectedServer[];
  /** Of it nothing is left. */
  close(): Promise<void>;
}

/** A haft of its own, in a folder of its own below the temporary one, that all servers are connected to. */
export async function openInstallation(recorded: boolean): Promise<DemoInstallation> {
  const root = mkdtempSync(join(tmpdir(), "haft-lean-"));
  const folder = join(root, "project");
  const home = new Home(join(root, "home"));
  for (const path of [folder, home.folder]) mkdirSync(path);
  // The servers are the demo's own, so they may run on a machine that has no way to confine them.
  const config = { mcpServers: serverEntries(recorded), sandbox: { atLeast: "none" } };
  writeFileSync(home.config, JSON.stringify(config));
  const app = await createApp({ folder, home });
  return {
    app,
    connected: await connect(app),
    close: async () => {
      await app.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function connect(app: App): Promise<readonly ConnectedServer[]> {
  const begun = performance.now();
  const times = new Map<string, number>();
  const stop = app.registry.onChange(() => {
    for (const { server, tools } of app.sources.mcp?.health() ?? [])
      if (tools > 0 && !times.has(server)) times.set(server, Math.round(performance.now() - begun));
  });
  await app.sources.settled();
  stop();
  return servers.map(({ name }) => {
    const health = app.sources.mcp?.health().find(({ server }) => server === name);
    const ms = times.get(name);
    return {
      name,
      version: health?.serverInfo?.version ?? "",
      tools: health?.tools ?? 0,
      ...(ms !== undefined && { ms }),
      ...(health?.reason !== undefined && { reason: health.reason }),
    };
  });
}
