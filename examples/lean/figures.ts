import { type App, costsOfApp } from "haft/app";
import type { ConnectedServer } from "./installation.ts";
import type { DemoResult } from "./report.ts";
import { pinnedVersion, servers } from "./servers.ts";

/** What the definitions of all tools and of a lean list cost, as OpenAI's models read them: their tokenizer is public. */
export async function readFigures(
  app: App,
  connected: readonly ConnectedServer[],
): Promise<Pick<DemoResult, "servers" | "tokens">> {
  const { tokenizer, basis, whole, lean, groups, saved, interaction } = await costsOfApp(app, {
    target: "openai",
  });
  return {
    servers: servers.map((server, at) => ({
      ...(connected[at] as ConnectedServer),
      package: `${server.package}@${pinnedVersion(server)}`,
      tokens: groups.find(({ name }) => name === server.name)?.tokens ?? 0,
    })),
    tokens: {
      tokenizer,
      basis,
      all: whole,
      lean,
      saved: {
        request: saved.request.share,
        interaction: saved.interaction.share,
        cost: saved.cost.share,
      },
      requests: interaction.requests,
    },
  };
}
