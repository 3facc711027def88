import { ToolRegistry } from "../../src/index.ts";
import { defineTool, type PackInfo, type Tool } from "../../src/kernel/index.ts";
import {
  type Embedder,
  PackCatalogue,
  ToolSearch,
  type ToolUse,
  type UsageMemory,
} from "../../src/search/index.ts";
import type { RankingWeights } from "../../src/search/tools/ranking-weights.ts";
import type { DataQuery, DataSet, DataTool } from "./data-set.ts";

/** A search over the set, through the public API. */
export interface HaftRanker {
  readonly search: ToolSearch;
  readonly rank: (text: string) => Promise<readonly string[]>;
}

export interface HaftOptions {
  readonly embedder?: Embedder;
  readonly past?: readonly DataQuery[];
  readonly weights?: RankingWeights;
}

export function openHaft({ tools }: DataSet, { embedder, past, weights }: HaftOptions = {}): HaftRanker {
  const registry = new ToolRegistry();
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  registry.registerMany(
    tools.map((tool) => {
      const name = freeName(tool.name, ids);
      ids.set(name, tool.id);
      names.set(tool.id, name);
      return toTool(tool, name);
    }),
  );
  const infos = packInfos(tools);
  const search = new ToolSearch({
    registry,
    packs: new PackCatalogue(registry, () => infos),
    ...(embedder !== undefined && { embedder }),
    ...(weights !== undefined && { weights }),
    ...(past !== undefined && { usage: readUsage(past, names) }),
    onError: (error) => console.error(error),
  });
  return {
    search,
    rank: async (text) => {
      const { found } = await search.search(text, { limit: 20 });
      return found.map(({ tool }) => ids.get(tool.name) ?? "");
    },
  };
}

/** A name that every model API takes, and no other tool has. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 56) || "tool";
  let free = plain;
  for (let count = 2; taken.has(free); count++) free = `${plain}_${count}`;
  return free;
}

function toTool(
  { description = "", name: title, server, category, parameters = {} }: DataTool,
  name: string,
): Tool {
  const pack = server ?? category;
  return defineTool({
    name,
    description: description.trim() === "" ? title : description,
    ...(pack !== undefined && { pack }),
    parameters: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(parameters).map(([key, { description: text }]) => [
          key,
          typeof text === "string" ? { description: text } : {},
        ]),
      ),
    },
    execute: () => "",
  });
}

function packInfos(tools: readonly DataTool[]): PackInfo[] {
  const infos = new Map<string, PackInfo>();
  for (const { server, category, serverDescription } of tools) {
    const words = [category, serverDescription].filter((text) => text !== undefined);
    if (server !== undefined && words.length > 0) {
      infos.set(server, { name: server, description: words.join(". ") });
    }
  }
  return [...infos.values()];
}

/** As if each message had just been served, the last of the file last. */
function readUsage(past: readonly DataQuery[], names: ReadonlyMap<string, string>): UsageMemory {
  const now = Date.now();
  const uses = past.toReversed().flatMap(({ query, relevant }) =>
    relevant.flatMap((id): ToolUse[] => {
      const toolName = names.get(id);
      return toolName === undefined ? [] : [{ toolName, goal: query, at: now }];
    }),
  );
  return {
    list: async () => uses,
    learn: async () => {},
    forget: async () => 0,
  };
}
