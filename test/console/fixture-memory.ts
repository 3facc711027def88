import { diffLines } from "../../src/base/index.ts";
import type { ConsoleApi, MemoryApi, MemoryDetail, UpkeepApi } from "../../src/server/console/api/index.ts";
import { day, hostile } from "./fixture-data.ts";

type Entry = MemoryDetail["entry"];
type Around = MemoryApi["GET /memory/nodes/:id"]["answer"];
type Answers = {
  readonly [Key in keyof (MemoryApi & UpkeepApi)]: (request: {
    readonly segments: readonly string[];
    readonly query: URLSearchParams;
    readonly body: unknown;
  }) => ConsoleApi[Key]["answer"];
};

const texts = [
  "Be brief. Say what you did before you say why.",
  "Ada is allergic to nuts: check what a restaurant cooks with before you book.\nShe likes the corner table.",
  `The deploy key is rotated on Mondays ${hostile}`,
  "The shop's tests need the fake payment server: npm run fake-pay.",
  "Grace moved from Rome to Bern in January.",
];
const labels = ["persona", "people/ada", undefined, "notes/shop/tests", undefined];
const kinds = ["block", "memory", "observation", "note", "memory"];

function createEntry(index: number, now: number, change: Partial<Entry> = {}): Entry {
  const at = now - index * day;
  return {
    id: `m_${index}`,
    scope: "local",
    kind: kinds[index % kinds.length] ?? "memory",
    label: index < labels.length ? labels[index] : undefined,
    tier: index === 0 ? "core" : "archival",
    text: texts[index % texts.length] ?? "",
    title: undefined,
    names: index === 1 ? ["Ada", "Ada L."] : [],
    category: undefined,
    tags: index % 2 === 1 ? ["people", "health"] : [],
    permission: "read_write",
    pinned: index === 0,
    trust: index === 2 ? "untrusted" : "trusted",
    place: undefined,
    at,
    validFrom: index === 4 ? at - 300 * day : undefined,
    validTo: undefined,
    supersededBy: undefined,
    author: { by: "agent:writer", callId: "c_3997", channel: "mcp" },
    createdAt: at,
    changedAt: at,
    deletedAt: undefined,
    revision: 3,
    undoDepth: 1,
    redoDepth: 0,
    ...change,
  };
}

const checks = [
  { name: "node", status: "ok", detail: "24.11.0" },
  { name: "store", status: "ok", detail: "/home/ada/.haft/haft.db, 12 MB" },
  {
    name: "sandbox",
    status: "warning",
    detail: "no bubblewrap: commands run with what the system itself keeps from them",
    remedy: "Install it: apt-get install bubblewrap",
  },
  {
    name: "server github",
    status: "failed",
    detail: `it has ended: ${hostile}`,
    remedy: "haft mcp login github",
  },
] as const;

/** Memory as the tests can change it, beside the page. */
export interface MemoryFixture {
  readonly handlers: Answers;
  /** Somebody else changes the text of an entry. */
  readonly change: (id: string, text: string) => void;
  /** Whether a request changes another revision than the one there is. */
  readonly isOutdated: (path: string, body: unknown) => boolean;
}

/** The pages of memory, secrets, hooks and the doctor, over constants that can be changed. */
export function createMemoryFixture(isEmpty: boolean, now: number): MemoryFixture {
  const entries = isEmpty ? [] : Array.from({ length: 60 }, (_, index) => createEntry(index, now));
  const secrets = isEmpty
    ? []
    : [
        {
          name: "GITHUB_TOKEN",
          createdAt: new Date(now - 40 * day).toISOString(),
          changedAt: new Date(now - 2 * day).toISOString(),
          tools: ["github_create_issue", "github_list_issues"],
        },
        {
          name: "OLD_KEY",
          createdAt: new Date(now - 400 * day).toISOString(),
          changedAt: new Date(now - 400 * day).toISOString(),
          tools: [],
        },
        { name: "TAVILY_API_KEY", createdAt: undefined, changedAt: undefined, tools: ["web_search"] },
      ];
  const versions = new Map<string, string[]>();
  const undone = new Map<string, string[]>();
  const get = (id = "") => entries.findIndex((entry) => entry.id === id);
  const isWanted = (entry: Entry, query: URLSearchParams) =>
    (query.get("kinds") ?? entry.kind) === entry.kind &&
    (query.get("trust") ?? entry.trust) === entry.trust &&
    (query.get("deleted") === "true") === (entry.deletedAt !== undefined);
  const listTexts = (entry: Entry) => [...(versions.get(entry.id) ?? ["Ada is allergic."]), entry.text];
  const change = (id: string | undefined, changes: Partial<Entry>): Entry => {
    const entry = entries[get(id)];
    if (entry === undefined) return undefined as never;
    const changed = { ...entry, revision: entry.revision + 1, changedAt: now, ...changes };
    entries[get(id)] = changed;
    return changed;
  };
  const node = (index: number) => ({
    id: `n_${index}`,
    name: index === 0 ? "Ada" : index === 1 ? `Bern ${hostile}` : `Thing ${index}`,
    type: index === 0 ? "person" : "place",
    aliases: index === 0 ? ["Ada L."] : [],
    mentions: 3,
    trust: index === 1 ? ("untrusted" as const) : ("trusted" as const),
  });
  const handlers: Answers = {
    "GET /memory": ({ query }) => {
      const wanted = entries.filter((entry) => isWanted(entry, query));
      const start = Number(query.get("after") ?? 0);
      const end = start + Number(query.get("limit") ?? 50);
      return {
        entries: wanted.slice(start, end),
        total: wanted.length,
        next: end < wanted.length ? String(end) : undefined,
      };
    },
    "GET /memory/search": ({ query }) => {
      const found = entries.filter(({ text }) => text.includes(query.get("q") ?? "")).slice(0, 5);
      return {
        hits: found.map((entry, at) => ({
          entry,
          score: 1 - at / 6,
          match: at === 0 ? ("full-text and embedding" as const) : ("full-text" as const),
          before: [],
          after: [],
        })),
        total: found.length,
        by: "words and meaning",
        time: undefined,
        note: found.length === 0 ? "Nothing says so." : undefined,
      };
    },
    "GET /memory/overview": () => ({
      scope: "local",
      project: "shop",
      total: entries.length,
      kinds: {},
      tiers: {},
      pinned: 1,
      shared: 0,
      meaning: undefined,
      waiting: undefined,
      failed: [],
      database: "/home/ada/.haft/haft.db",
      databaseBytes: 1,
      folder: "/home/ada/.haft/memory",
      agents: isEmpty ? [] : ["writer", "scout"],
    }),
    "GET /memory/prompt": () => {
      const [first] = entries;
      return first === undefined
        ? { text: "", tokens: 0, entries: [], leftOut: 0 }
        : { text: `<memory>\n${first.text}\n</memory>\n`, tokens: 812, entries: [first], leftOut: 2 };
    },
    "GET /memory/entries/:id": ({ segments: [id] }) => {
      const entry = entries[get(id)];
      if (entry === undefined) return undefined as never;
      const all = listTexts(entry);
      return {
        entry,
        own: true,
        shares: [
          {
            entryId: entry.id,
            owner: "local",
            scope: "local/scout",
            with: "scout",
            permission: "read_only",
            sharedAt: now,
          },
        ],
        history: all
          .map((text, at) => ({
            version: at + 1,
            at: now,
            author: { by: "person:console" },
            change: at === 0 ? "create_block" : "update_block_text",
            text,
            facts: {},
            trust: "trusted" as const,
            deleted: false,
            current: at === all.length - 1,
            diff: diffLines(all[at - 1]?.split("\n") ?? [], text.split("\n")),
          }))
          .toReversed(),
        command: `haft memory show ${entry.label ?? entry.id}`,
      };
    },
    "POST /memory/entries/:id/edit": ({ segments: [id = ""], body }) => {
      const entry = entries[get(id)];
      if (entry === undefined) return undefined as never;
      versions.set(id, listTexts(entry));
      return change(id, { text: (body as { readonly text: string }).text, undoDepth: entry.undoDepth + 1 });
    },
    "POST /memory/entries/:id/facts": ({ segments: [id], body }) => {
      const { agent: _agent, revision: _revision, ...told } = body as Record<string, unknown>;
      return change(id, told);
    },
    "POST /memory/entries/:id/undo": ({ segments: [id = ""] }) => {
      const entry = entries[get(id)];
      if (entry === undefined) return undefined as never;
      const all = listTexts(entry);
      undone.set(id, [...(undone.get(id) ?? []), entry.text]);
      versions.set(id, all);
      return change(id, {
        text: all.at(-2) ?? "",
        undoDepth: Math.max(0, entry.undoDepth - 1),
        redoDepth: entry.redoDepth + 1,
      });
    },
    "POST /memory/entries/:id/redo": ({ segments: [id = ""] }) =>
      change(id, { text: undone.get(id)?.pop() ?? "", undoDepth: 1, redoDepth: 0 }),
    "POST /memory/entries/:id/delete": ({ segments: [id] }) => change(id, { deletedAt: now }),
    "POST /memory/entries/:id/restore": ({ segments: [id] }) => change(id, { deletedAt: undefined }),
    "POST /memory/entries/:id/erase": ({ segments: [id] }) => {
      const [erased] = entries.splice(get(id), 1);
      return erased as Entry;
    },
    "POST /memory/entries/:id/share": ({ segments: [id] }) => change(id, {}),
    "GET /memory/nodes": ({ query }) =>
      isEmpty || query.get("name") !== "ada" ? [] : [{ node: node(0), name: "Ada", match: "exact" }],
    "GET /memory/nodes/:id": ({ query }): Around => {
      if (isEmpty) return undefined as never;
      const at = query.has("at") ? Number(query.get("at")) : now;
      const isAll = query.get("former") === "true";
      const near = Array.from({ length: 24 }, (_, index) => index + 1).filter(
        (index) => isAll || (index === 2 ? at < now - 100 * day : true),
      );
      return {
        node: node(0),
        neighbours: near.map((index) => ({
          node: node(index),
          depth: index < 8 ? 1 : 2,
          strength: 1 / index,
        })),
        edges: near.map((index) => ({
          source: index < 8 ? "n_0" : `n_${(index % 7) + 1}`,
          target: `n_${index}`,
          relation: index === 2 ? "lived in" : "knows of",
          weight: 2,
          sources: [
            {
              entryId: "m_1",
              validFrom: index === 2 ? now - 400 * day : undefined,
              validTo: index === 2 ? now - 100 * day : undefined,
              trust: "trusted" as const,
            },
          ],
          current: index !== 2,
          trust: "trusted" as const,
        })),
        cut: false,
        entries: entries.slice(1, 3),
      };
    },
    "GET /secrets": () => secrets,
    "POST /secrets/delete": ({ body }) => {
      const at = secrets.findIndex(({ name }) => name === (body as { readonly name: string }).name);
      if (at >= 0) secrets.splice(at, 1);
      return { deleted: at >= 0 };
    },
    "GET /hooks": () => ({
      hooks: isEmpty
        ? []
        : [
            {
              id: "guard",
              name: "Guard of the main branch",
              description: "Refuses pushes to main on Fridays.",
              type: "pre_tool",
              tools: ["bash", "git_push"],
              command: "scripts/guard.sh --strict",
              blocking: true,
              timeoutMs: 10_000,
              priority: 10,
              hosts: [],
              enabled: true,
              file: "/home/ada/shop/haft.config.yml",
              runs: 412,
              blocks: 7,
              errors: 2,
              meanMs: 38,
              lastRunAt: now - 60_000,
              lastError: `exit code 2\n\u001b[31mguard.sh: line 4: jq: not found\u001b[0m\n${hostile}`,
            },
            {
              id: "format",
              name: "format",
              description: "",
              type: "post_tool",
              tools: [],
              command: "npx biome format --write .",
              blocking: false,
              timeoutMs: 60_000,
              priority: 0,
              hosts: [],
              enabled: false,
              file: "/home/ada/shop/agent/hooks/format.md",
              runs: 0,
              blocks: 0,
              errors: 0,
              meanMs: 0,
            },
          ],
      problems: isEmpty
        ? []
        : [{ where: "agent/hooks/old.md:3", message: 'Cannot read the hook: "type" is missing' }],
    }),
    "POST /doctor": () => ({ ok: false, checks: isEmpty ? [] : checks }),
  };
  return {
    handlers,
    change: (id, text) => void change(id, { text }),
    isOutdated: (path, body) => {
      const [, id] = /^\/memory\/entries\/([^/]+)\/\w+$/.exec(path) ?? [];
      return (
        id !== undefined && (body as { readonly revision: number }).revision !== entries[get(id)]?.revision
      );
    },
  };
}
