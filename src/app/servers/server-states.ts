import { healthWithout, type ServerHealth } from "../../mcp/index.ts";
import type { App } from "../create-app.ts";
import type { ConfiguredServer, ConfiguredServers } from "./configured-servers.ts";

/** The state of a configured server. haft does not connect to `untrusted`, `shadowed` and `invalid` ones. */
export type ServerState = Omit<ServerHealth, "status"> & {
  readonly status: ServerHealth["status"] | "untrusted" | "shadowed" | "invalid";
  readonly file?: string;
};

/** Lists the states of all configured servers, including entries that can't be read. */
export function describeServers(
  app: Pick<App, "sources">,
  { servers, faults }: ConfiguredServers,
): readonly ServerState[] {
  return [
    ...servers.map((one) => describeState(one, app)),
    ...faults.map(({ where, message, file }) => ({
      ...healthWithout(where, "failed"),
      status: "invalid" as const,
      reason: message,
      file,
    })),
  ];
}

function describeState({ server, state, file }: ConfiguredServer, app: Pick<App, "sources">): ServerState {
  if (state === "untrusted" || state === "shadowed")
    return { ...healthWithout(server.name, "failed"), status: state, file };
  const health = app.sources.mcp?.health().find((one) => one.server === server.name);
  return { ...(health ?? healthWithout(server.name, state === "disabled" ? "disabled" : "failed")), file };
}
