import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool, type ToolContext } from "../../../../kernel/index.ts";
import { type MemoryWish, memoryEffects } from "../../store/memory-effects.ts";
import type { MemorySearch } from "../../store/memory-store.ts";
import { openMemory } from "../memory-of.ts";
import { noteOn } from "../note-on.ts";
import { entryKey, query } from "../parameters.ts";
import type { MemoriesServices } from "./services.ts";
import { showMemory } from "./show-memory.ts";

const mostCandidates = 10;
const shownChars = 300;

const parameters = z
  .strictObject({
    id: entryKey.optional().describe("The id of the memory to forget"),
    query: query
      .optional()
      .describe("Lists memories that match and forgets none: call again with the id of one"),
    all: z
      .boolean()
      .optional()
      .describe("With a query: also list what is only loosely like it; false by default"),
    restore: z.boolean().optional().describe("With an id: bring a forgotten memory back; false by default"),
  })
  .superRefine((given, check) => {
    const message = "needs either the id of a memory, or a query to find one";
    if ((given.id === undefined) === (given.query === undefined))
      check.addIssue({ code: "custom", path: ["id"], message });
    if (given.all !== undefined && given.query === undefined)
      check.addIssue({ code: "custom", path: ["all"], message: "needs a query" });
    if (given.restore === true && given.id === undefined)
      check.addIssue({ code: "custom", path: ["restore"], message: "needs the id of the forgotten memory" });
  });

export function memoryForgetTool(services: MemoriesServices): Tool {
  return defineTool({
    name: "memory_forget",
    title: "Forget",
    description:
      "Forget one memory by its id, which can be taken back with restore; or with a query, list memories to choose " +
      "from. What only that memory said of people and things is forgotten with it.",
    category: "memory",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    effects: ({ id: key, restore = false }, context) => {
      const change: MemoryWish = restore
        ? { key, operation: "overwrite", as: "restore" }
        : { key, operation: "delete" };
      const wishes: MemoryWish[] = key === undefined ? [] : [change];
      return memoryEffects(services.memory, context, [...wishes, { operation: "read" }]);
    },
    async execute({ id: key, query: wanted = "", all = false, restore = false }, context) {
      const memory = openMemory(services, context);
      if (key === undefined) return candidates(services, { query: wanted, onlyRelevant: !all }, context);
      if (restore) {
        const entry = await memory.restoreBlock(key);
        return labelledContent({ restored: true, ...showMemory(entry, shownChars) }, [entry]);
      }
      const entry = await memory.deleteBlock(key);
      const undo = `memory_forget with {"id": ${JSON.stringify(entry.id)}, "restore": true} brings it back`;
      return labelledContent({ forgotten: true, ...showMemory(entry, shownChars), undo }, [entry]);
    },
  });
}

async function candidates(
  services: MemoriesServices,
  wanted: Pick<MemorySearch, "query" | "onlyRelevant">,
  context: ToolContext,
): Promise<unknown> {
  const found = await openMemory(services, context).searchBlocks({
    ...wanted,
    limit: mostCandidates,
    exceptKinds: ["message"],
    owned: "own",
    with: ["superseded", "invalid"],
    hops: 0,
    signal: context.signal,
  });
  const entries = found.hits.map(({ entry }) => entry);
  const what = "Nothing was forgotten: call again with the id of the one to forget";
  const data = withoutUndefined({
    forgotten: false,
    candidates: entries.map((entry) => showMemory(entry, shownChars)),
    total: found.total,
    left_out: found.leftOut,
    note: [entries.length > 0 ? what : "Nothing that is remembered matches", noteOn(found)]
      .filter((each) => each !== undefined)
      .join(". "),
  });
  return labelledContent(data, entries);
}
