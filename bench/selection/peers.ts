import { DatabaseSync } from "node:sqlite";
import { spaced, splitTerms } from "../../src/search/tools/words.ts";
import { importPeer } from "../harness.ts";
import type { DataTool } from "./data-set.ts";

/** Another search, over the same tools. */
export interface Peer {
  readonly name: string;
  /** The package it comes in. */
  readonly package?: string;
  open(tools: readonly DataTool[]): Promise<(text: string) => Promise<readonly string[]> | readonly string[]>;
}

const limit = 20;

/** Out of the box; and with names split, stop words left out, stems, and the weights that were best for each. */
export const peers: readonly Peer[] = [
  { name: "FTS5 raw", open: async (tools) => openFts5(tools, { tuned: false }) },
  { name: "FTS5 tuned", open: async (tools) => openFts5(tools, { tuned: true }) },
  {
    name: "MiniSearch default",
    package: "minisearch",
    open: (tools) => openMiniSearch(tools, { tuned: false }),
  },
  {
    name: "MiniSearch tuned",
    package: "minisearch",
    open: (tools) => openMiniSearch(tools, { tuned: true }),
  },
  { name: "Orama default", package: "@orama/orama", open: (tools) => openOrama(tools, { tuned: false }) },
  { name: "Orama tuned", package: "@orama/orama", open: (tools) => openOrama(tools, { tuned: true }) },
];

interface Tuning {
  readonly tuned: boolean;
}

interface Columns {
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
  readonly pack: string;
}

function toColumns(tool: DataTool, { tuned }: Tuning): Columns {
  const parameters = Object.entries(tool.parameters ?? {})
    .map(([name, { description }]) => `${spaced(name)} ${typeof description === "string" ? description : ""}`)
    .join(" ");
  const pack = [tool.server, tool.category, tool.serverDescription].filter((text) => text !== undefined);
  return {
    name: tuned ? spaced(tool.name) : tool.name,
    description: tool.description ?? "",
    parameters,
    pack: spaced(pack.join(" ")),
  };
}

function openFts5(tools: readonly DataTool[], tuning: Tuning): (text: string) => readonly string[] {
  const db = new DatabaseSync(":memory:");
  const { tuned } = tuning;
  const columns = tuned ? "name, description, parameters, pack" : "name, description";
  db.exec(
    `create virtual table tools using fts5(${columns}, tokenize = '${tuned ? "porter " : ""}unicode61')`,
  );
  const insert = db.prepare(
    `insert into tools (rowid, ${columns}) values (?${tuned ? ", ?, ?, ?, ?" : ", ?, ?"})`,
  );
  db.exec("begin");
  for (const [at, tool] of tools.entries()) {
    const { name, description, parameters, pack } = toColumns(tool, tuning);
    insert.run(at + 1, name, description, ...(tuned ? [parameters, pack] : []));
  }
  db.exec("commit");
  const rank = tuned ? "bm25(tools, 2, 1, 0.3, 1)" : "bm25(tools)";
  const find = db.prepare(`select rowid from tools where tools match ? order by ${rank} limit ${limit}`);
  return (text) => {
    const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))].filter(
      (word) => !tuned || splitTerms(word).length > 0,
    );
    if (words.length === 0) return [];
    const rows = find.all(words.map((word) => `"${word}"`).join(" OR "));
    return rows.map(({ rowid }) => tools[Number(rowid) - 1]?.id ?? "");
  };
}

interface MiniSearchModule {
  readonly default: new (
    options: object,
  ) => {
    addAll(documents: readonly object[]): void;
    search(text: string, options?: object): readonly { readonly id: number }[];
  };
}

async function openMiniSearch(
  tools: readonly DataTool[],
  tuning: Tuning,
): Promise<(text: string) => readonly string[]> {
  const { default: MiniSearch } = await importPeer<MiniSearchModule>("minisearch");
  const index = new MiniSearch(
    tuning.tuned
      ? {
          fields: ["name", "description", "parameters", "pack"],
          tokenize: splitTerms,
          processTerm: (term: string) => term,
          searchOptions: { boost: { name: 2, parameters: 0.3 } },
        }
      : { fields: ["name", "description"] },
  );
  index.addAll(tools.map((tool, id) => ({ id, ...toColumns(tool, tuning) })));
  return (text) =>
    index
      .search(text)
      .slice(0, limit)
      .map(({ id }) => tools[id]?.id ?? "");
}

interface OramaModule {
  readonly create: (options: object) => object;
  readonly insertMultiple: (index: object, documents: readonly object[]) => unknown;
  readonly search: (index: object, query: object) => OramaAnswer | Promise<OramaAnswer>;
}

interface OramaAnswer {
  readonly hits: readonly { readonly document: { readonly at: number } }[];
}

async function openOrama(
  tools: readonly DataTool[],
  tuning: Tuning,
): Promise<(text: string) => Promise<readonly string[]>> {
  const { create, insertMultiple, search } = await importPeer<OramaModule>("@orama/orama");
  const { tuned } = tuning;
  const tokenizer = { language: "english", normalizationCache: new Map(), tokenize: splitTerms };
  const index = create({
    schema: { name: "string", description: "string" },
    ...(tuned && { components: { tokenizer } }),
  });
  await insertMultiple(
    index,
    tools.map((tool, at) => {
      const { name, description } = toColumns(tool, tuning);
      return { at, name, description };
    }),
  );
  return async (term) => {
    const { hits } = await search(index, { term, limit, ...(tuned && { boost: { name: 2 } }) });
    return hits.map(({ document }) => tools[document.at]?.id ?? "");
  };
}
