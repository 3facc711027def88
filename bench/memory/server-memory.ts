import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ThinClient, talkStdio } from "../mcp/thin-client.ts";
import { byScope, type DataSet } from "./data-set.ts";
import type { Rank } from "./measures.ts";

export const serverMemory = "@modelcontextprotocol/server-memory";

export interface ServerMemory {
  /** As an agent asks that says the question, and as one that says its longest word. */
  readonly ranks: Readonly<Record<string, Rank>>;
  close(): Promise<void>;
}

/** The reference server, in a process of its own for each scope; each memory is an entity with one observation. */
export async function openServerMemory(set: DataSet): Promise<ServerMemory | undefined> {
  const program = findProgram(serverMemory);
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const clients = new Map<string, ThinClient>();
  for (const [scope, memories] of byScope(set.memories)) {
    const env = { ...process.env, MEMORY_FILE_PATH: join(folder, `${clients.size}.jsonl`) };
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "ignore"], env });
    const client = await talkStdio(child, "2025-11-25");
    clients.set(scope, client);
    await client.call("tools/call", {
      name: "create_entities",
      arguments: {
        entities: memories.map(({ id, text, speaker }) => ({
          name: id,
          entityType: "memory",
          observations: [speaker === undefined ? text : `${speaker}: ${text}`],
        })),
      },
    });
  }
  const search = async (scope: string, query: string) => {
    const answer = await clients.get(scope)?.call("tools/call", {
      name: "search_nodes",
      arguments: { query },
    });
    return listIds(answer ?? "{}").slice(0, 20);
  };
  return {
    ranks: {
      [`${serverMemory}, the question`]: ({ scope, query }) => search(scope, query),
      [`${serverMemory}, its longest word`]: ({ scope, query }) => search(scope, longestWord(query)),
    },
    close: async () => {
      for (const client of clients.values()) await client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function findProgram(name: string): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), "dist", "index.js");
  } catch {
    return undefined;
  }
}

function listIds(answer: string): string[] {
  const { result } = JSON.parse(answer) as { result?: { content?: readonly { text?: string }[] } };
  const text = result?.content?.[0]?.text;
  if (text === undefined || !text.startsWith("{")) return [];
  const { entities = [] } = JSON.parse(text) as { entities?: readonly { name: string }[] };
  return entities.map(({ name }) => name);
}

function longestWord(query: string): string {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}
