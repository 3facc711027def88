import {
  findEntry,
  listDeleted,
  type OwnMemory,
  openOwnMemory,
  ownKinds,
  readOverview,
} from "../../../app/memory/index.ts";
import { diffLines, getErrorCode } from "../../../base/index.ts";
import { trusts } from "../../../kernel/index.ts";
import {
  type ChangedFacts,
  findMemoryScope,
  type MemoryEntry,
  type MemoryFilter,
  memoryPermissions,
  memoryTiers,
} from "../../../modules/memory/index.ts";
import type { Endpoint, MemoryApi } from "../api/index.ts";
import type { ConsoleContext, ConsoleRequest, Handlers } from "../route.ts";
import {
  badInput,
  changedMeanwhile,
  notFound,
  readInput,
  readList,
  readSegment,
  readWhole,
  readWord,
} from "./input.ts";

const agent = { type: "string", minLength: 1, maxLength: 200 } as const;
const revision = { type: "integer", minimum: 0 } as const;
const change = {
  type: "object",
  properties: { agent, revision },
  required: ["revision"],
  additionalProperties: false,
} as const;
const edit = {
  type: "object",
  properties: { agent, revision, text: { type: "string", minLength: 1, maxLength: 1_000_000 } },
  required: ["revision", "text"],
  additionalProperties: false,
} as const;
const word = { type: "string", maxLength: 1000 } as const;
const words = { type: "array", items: { ...word, minLength: 1 }, maxItems: 200 } as const;
const facts = {
  type: "object",
  properties: {
    agent,
    revision,
    title: word,
    category: word,
    tags: words,
    names: words,
    tier: { enum: memoryTiers },
    permission: { enum: memoryPermissions },
    pinned: { type: "boolean" },
  },
  required: ["revision"],
  additionalProperties: false,
} as const;
const share = {
  type: "object",
  properties: { agent, revision, with: agent, permission: { enum: [...memoryPermissions, "none"] } },
  required: ["revision", "with", "permission"],
  additionalProperties: false,
} as const;

const latest = Number.MAX_SAFE_INTEGER;

/** The page of memory: what is kept, why it is found, what goes into prompts, and how it hangs together. */
export const memoryHandlers: Handlers<MemoryApi> = {
  "GET /memory": async (context, { query, signal }) => {
    const { memory } = await open(context, query.get("agent"));
    const filter = readFilter(query);
    const all = readWord(query, "all", ["true"]) !== undefined;
    const after = query.get("after");
    const listing = {
      ...filter,
      ...(filter.kinds === undefined && !all && { exceptKinds: ownKinds }),
      ...(all && { with: ["superseded", "invalid"] as const }),
      limit: readWhole(query, "limit", { least: 1, most: 500, fallback: 50 }),
      ...(after !== undefined && { after }),
    };
    return readWord(query, "deleted", ["true"]) === undefined
      ? memory.listBlocks(listing)
      : listDeleted(memory, listing, signal);
  },

  "GET /memory/search": async (context, { query, signal }) => {
    const text = query.get("q")?.trim() ?? "";
    if (text === "") throw badInput('"q" is empty: say what to search for');
    const { memory } = await open(context, query.get("agent"));
    return memory.searchBlocks({
      query: text,
      ...readFilter(query),
      mode: readWord(query, "mode", ["auto", "words", "meaning"]) ?? "auto",
      limit: readWhole(query, "limit", { least: 1, most: 100, fallback: 20 }),
      offset: readWhole(query, "offset", { least: 0, most: 10_000, fallback: 0 }),
      signal,
    });
  },

  "GET /memory/overview": async (context, { query }) => {
    const own = await open(context, query.get("agent"));
    await context.app.sources.ready();
    return { ...(await readOverview(own)), agents: context.app.agents.ids() };
  },

  "GET /memory/prompt": async (context, { query }) => {
    const { store, scope } = await open(context, query.get("agent"));
    const { memoryContext } = await import("../../../modules/memory/upkeep/index.ts");
    return memoryContext(
      store,
      scope,
      readWhole(query, "budget", { least: 100, most: 1_000_000, fallback: 2_000 }),
    );
  },

  "GET /memory/entries/:id": async (context, request) => {
    const own = await open(context, request.query.get("agent"));
    const entry = await find(own, request);
    const [shares, history] = await Promise.all([
      own.store.shares(own.scope, entry.id),
      own.store.history(own.scope, entry.id),
    ]);
    const { app } = context;
    await app.sources.ready();
    const agents = new Map(
      app.agents.ids().map((agentId) => [findMemoryScope({ ...app.context, agentId }), agentId]),
    );
    agents.set(findMemoryScope(app.context), "-");
    return {
      entry,
      own: entry.scope === own.scope,
      shares: shares.map((share) => ({ ...share, with: agents.get(share.scope) })),
      history: history.map((version, at) => ({
        ...version,
        diff: diffLines(history[at + 1]?.text.split("\n") ?? [], version.text.split("\n")),
      })),
      command: `haft memory show ${entry.label ?? entry.id}`,
    };
  },

  "POST /memory/entries/:id/edit": async (context, request) => {
    const { text, ...body } = await readInput(edit, request);
    return changeEntry(context, request, body, async ({ store, scope, author }, { id, revision: shown }) => {
      const [entry] = await store.edit(
        scope,
        [{ do: "update_block_text", id, revision: shown, text }],
        author,
      );
      return entry as MemoryEntry;
    });
  },
  "POST /memory/entries/:id/facts": async (context, request) => {
    const { agent: owner, revision: shown, title, category, ...rest } = await readInput(facts, request);
    const told: ChangedFacts = {
      ...rest,
      ...(title !== undefined && { title: title.trim() || null }),
      ...(category !== undefined && { category: category.trim() || null }),
    };
    if (Object.keys(told).length === 0) throw badInput("it says no fact");
    const body = { revision: shown, ...(owner !== undefined && { agent: owner }) };
    return changeEntry(context, request, body, async ({ store, scope, author }, { id }) => {
      const [entry] = await store.edit(
        scope,
        [{ do: "set_block_facts", id, revision: shown, facts: told }],
        author,
      );
      return entry as MemoryEntry;
    });
  },
  "POST /memory/entries/:id/undo": async (context, request) =>
    changeEntry(context, request, await readInput(change, request), ({ memory }, { id }) =>
      memory.undoBlock(id),
    ),
  "POST /memory/entries/:id/redo": async (context, request) =>
    changeEntry(context, request, await readInput(change, request), ({ memory }, { id }) =>
      memory.redoBlock(id),
    ),
  "POST /memory/entries/:id/delete": async (context, request) =>
    changeEntry(context, request, await readInput(change, request), ({ memory }, { id }) =>
      memory.deleteBlock(id),
    ),
  "POST /memory/entries/:id/restore": async (context, request) =>
    changeEntry(context, request, await readInput(change, request), ({ memory }, { id }) =>
      memory.restoreBlock(id),
    ),
  "POST /memory/entries/:id/erase": async (context, request) =>
    changeEntry(context, request, await readInput(change, request), ({ memory }, { id }) =>
      memory.eraseBlock(id),
    ),
  "POST /memory/entries/:id/share": async (context, request) => {
    const { with: other, permission, ...body } = await readInput(share, request);
    const { app } = context;
    if (other !== "-") await requireAgent(context, other);
    const scope = findMemoryScope({ ...app.context, ...(other !== "-" && { agentId: other }) });
    const wanted = memoryPermissions.find((one) => one === permission);
    return changeEntry(context, request, body, ({ memory }, { id }) =>
      wanted === undefined ? memory.unshareBlock(id, scope) : memory.shareBlock(id, scope, wanted),
    );
  },

  "GET /memory/nodes": async (context, { query }) => {
    const name = query.get("name")?.trim() ?? "";
    if (name === "") throw badInput('"name" is empty: say whom or what');
    const { scope } = await open(context, query.get("agent"));
    return (await context.app.store()).graph.find(scope, name, { limit: 20 });
  },

  "GET /memory/nodes/:id": async (context, request) => {
    const { query } = request;
    const { scope, store } = await open(context, query.get("agent"));
    const { graph } = await context.app.store();
    const id = readSegment(request, "id");
    const around = await graph.explore(scope, id, {
      depth: readWhole(query, "depth", { least: 1, most: 3, fallback: 2 }),
      limit: readWhole(query, "limit", { least: 1, most: 200, fallback: 100 }),
      ...(query.has("at") && { at: readWhole(query, "at", { least: 0, most: latest, fallback: 0 }) }),
      ...(readWord(query, "former", ["true"]) !== undefined && { former: true }),
    });
    if (around === undefined) throw notFound("a node", id, "search for its name again");
    const mentions = await graph.mentions(scope, [id], { limit: 20 });
    const entries = await Promise.all(mentions.map(({ entryId }) => store.get(scope, entryId)));
    return { ...around, entries: entries.filter((entry) => entry !== undefined) };
  },
};

async function open(context: ConsoleContext, owner: string | undefined): Promise<OwnMemory> {
  if (owner !== undefined) await requireAgent(context, owner);
  return openOwnMemory(context.app, { agent: owner, author: { by: context.by, channel: "console" } });
}

async function requireAgent({ app }: ConsoleContext, id: string): Promise<void> {
  await app.sources.ready();
  if (!app.agents.isKnown(id))
    throw notFound("an agent", id, `there are ${app.agents.ids().join(", ") || "none"}`);
}

function readFilter(query: ReadonlyMap<string, string>): MemoryFilter {
  const [kinds, tags] = [readList(query, "kinds"), readList(query, "tags")];
  const tiers = readList(query, "tiers")?.map((word) => {
    const tier = memoryTiers.find((one) => one === word);
    if (tier === undefined) throw badInput(`"tiers" has words of ${memoryTiers.join(", ")}`);
    return tier;
  });
  const label = query.get("label");
  const trust = readWord(query, "trust", trusts);
  const readTime = (name: "since" | "until") =>
    query.has(name) ? { [name]: readWhole(query, name, { least: 0, most: latest, fallback: 0 }) } : {};
  return {
    ...(kinds !== undefined && { kinds }),
    ...(tiers !== undefined && { tiers }),
    ...(tags !== undefined && { tags }),
    ...(label !== undefined && { labelPrefix: label }),
    ...(trust !== undefined && { trust }),
    ...readTime("since"),
    ...readTime("until"),
  };
}

async function find(
  own: OwnMemory,
  request: Pick<ConsoleRequest<Endpoint>, "segments">,
): Promise<MemoryEntry> {
  const id = readSegment(request, "id");
  try {
    return await findEntry(own, id);
  } catch (error) {
    if (getErrorCode(error) !== "MEMORY_NOT_FOUND") throw error;
    throw notFound("an entry", id, "`haft memory list` lists them");
  }
}

/** Makes a change if the entry still is what was shown. */
async function changeEntry(
  context: ConsoleContext,
  request: Pick<ConsoleRequest<Endpoint>, "segments">,
  { agent: owner, revision: shown }: { readonly agent?: string; readonly revision: number },
  act: (own: OwnMemory, entry: MemoryEntry) => Promise<MemoryEntry>,
): Promise<MemoryEntry> {
  const own = await open(context, owner);
  const entry = await find(own, request);
  if (entry.revision !== shown) throw changedMeanwhile("the entry");
  try {
    return await act(own, entry);
  } catch (error) {
    if (getErrorCode(error) === "MEMORY_CHANGED") throw changedMeanwhile("the entry");
    throw error;
  }
}
