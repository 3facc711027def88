import { readFileSync } from "node:fs";
import { join } from "node:path";
import { untilSays } from "../e2e/cli-process.ts";
import type { ClientCommand } from "./command-clients.ts";
import { type ClientWorld, clientProgram, clientsAreHere, whyNotHere } from "./world.ts";

/** A client without a model: one run of it lists haft's tools, or calls one of them. */
export interface DirectClient {
  readonly id: string;
  /** Whether it is installed with the other clients; the repository itself brings the rest. */
  readonly isHere: boolean;
  /** Why it can't be driven, where the others can. */
  readonly why: string | undefined;
  /** `process`: it tells haft of Ctrl-C itself. `group`: Ctrl-C ends haft with it, as at a terminal. */
  readonly interrupted: "process" | "group";
  /** Tells the client where haft is. */
  readonly connect: (world: ClientWorld) => Promise<ConnectedClient>;
}

export interface ConnectedClient {
  readonly list: () => ClientCommand;
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => ClientCommand;
}

const inspectorProgram = join(import.meta.dirname, "../../node_modules/.bin/mcp-inspector");

const inspector: DirectClient = {
  id: "inspector",
  isHere: true,
  why: undefined,
  interrupted: "group",
  connect: async (world) => {
    const inspect = (...args: readonly string[]): ClientCommand => ({
      program: inspectorProgram,
      args: ["--cli", process.execPath, world.haft, "mcp", ...args],
    });
    return {
      list: () => inspect("--method", "tools/list"),
      call: (tool, args) => {
        const pairs = Object.entries(args).flatMap(([name, value]) => [
          "--tool-arg",
          `${name}=${String(value)}`,
        ]);
        return inspect("--method", "tools/call", "--tool-name", tool, ...pairs);
      },
    };
  },
};

const mcporter: DirectClient = {
  id: "mcporter",
  isHere: clientsAreHere,
  why: whyNotHere("mcporter"),
  interrupted: "group",
  connect: async (world) => {
    // Else it starts the server in the folder of its configuration.
    const haft = { command: process.execPath, args: [world.haft, "mcp"], cwd: world.folder };
    world.put("mcporter.json", { mcpServers: { haft }, imports: [] });
    const port = (...args: readonly string[]): ClientCommand => ({
      program: clientProgram("mcporter"),
      args: ["--config", join(world.home, "mcporter.json"), ...args],
    });
    return {
      list: () => port("list", "haft", "--json"),
      call: (tool, args) =>
        port("call", `haft.${tool}`, "--args", JSON.stringify(args), "--timeout", "3600000"),
    };
  },
};

/** A bridge from stdio to haft's HTTP, with a client of stdio before it. */
const mcpRemote: DirectClient = {
  id: "mcp-remote",
  isHere: clientsAreHere,
  why: whyNotHere("mcp-remote"),
  interrupted: "process",
  connect: async (world) => {
    const served = world.start(process.execPath, [world.haft, "serve", "--port", "0", "--json"]);
    const said = await untilSays(served.stdout as NodeJS.ReadableStream, "\n");
    const { url, tokenFile } = JSON.parse(said) as { url: string; tokenFile: string };
    const token = readFileSync(tokenFile, "utf8").trim();
    const remote = [clientProgram("mcp-remote"), url, "--header", `Authorization:Bearer ${token}`];
    const drive = (request: object): ClientCommand => ({
      program: process.execPath,
      args: [join(import.meta.dirname, "drivers/mcp-remote.mjs"), JSON.stringify(request), ...remote],
    });
    return {
      list: () => drive({}),
      call: (name, args) => drive({ name, arguments: args }),
    };
  },
};

export const directClients: readonly DirectClient[] = [inspector, mcporter, mcpRemote];
