import { z } from "zod";
import {
  formatDay,
  getErrorMessage,
  parseTime,
  systemClock,
  withoutUndefined,
} from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool, type ToolContext } from "../../../../kernel/index.ts";
import { memoryGate } from "../../store/access.ts";
import { MemoryError } from "../../store/errors.ts";
import { type MemoryWish, memoryEffects } from "../../store/memory-effects.ts";
import type { MemoryEntry, NewMemoryEntry } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { entryKey, time } from "../parameters.ts";
import { withAbsoluteDates } from "./absolute-dates.ts";
import { categories, entityName, mostContentChars, tags } from "./parameters.ts";
import type { MemoriesServices } from "./services.ts";
import { showMemory } from "./show-memory.ts";
import { findSimilar } from "./similar-memories.ts";

const relation = z.strictObject({
  source: entityName,
  relation: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/[^\s_-]/, "must have a word")
    .describe("works at, likes, …"),
  target: entityName,
});

const parameters = z
  .strictObject({
    content: z
      .string()
      .trim()
      .min(1)
      .max(mostContentChars)
      .describe("One thing to remember, in a sentence that can be understood by itself"),
    category: z.enum(categories).optional().describe("general by default"),
    tags: tags.optional(),
    names: z
      .array(entityName)
      .max(20)
      .optional()
      .describe("Who and what it is about, by the names that find it"),
    valid_from: time.optional().describe("The time from which it is so: 2026-05-08, or 2026-05-08T10:00:00Z"),
    valid_to: time.optional().describe("The time until which it is so"),
    supersedes: entryKey
      .optional()
      .describe(
        "The id of the memory that this one corrects; that one is kept as history. Names, tags and category that are left out are taken from it",
      ),
    relations: z.array(relation).max(50).optional().describe("How what it names is connected"),
  })
  .refine(
    ({ valid_from: from, valid_to: to }) =>
      from === undefined || to === undefined || parseTime(from) < parseTime(to),
    { path: ["valid_to"], message: "must be later than valid_from" },
  );

type Given = Omit<z.output<typeof parameters>, "category"> & { readonly category?: string | undefined };

export function memoryStoreTool(services: MemoriesServices): Tool {
  return defineTool({
    name: "memory_store",
    title: "Remember",
    description:
      "Remember a fact, preference or decision about the user or the work, for later conversations. Says which " +
      "memories are like it: a correction names the one it corrects in supersedes. What is remembered already is not " +
      "stored twice.",
    category: "memory",
    parameters,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    effects: ({ supersedes }, context) => {
      const corrected: MemoryWish[] =
        supersedes === undefined ? [] : [{ key: supersedes, operation: "overwrite", as: "supersede" }];
      // It shows memories that are like it.
      const wishes: MemoryWish[] = [{ operation: "create" }, ...corrected, { operation: "read" }];
      return memoryEffects(services.memory, context, wishes);
    },
    async execute(given, context) {
      return store(services, given, context);
    },
  });
}

async function store(services: MemoriesServices, asked: Given, context: ToolContext): Promise<unknown> {
  const memory = openMemory(services, context);
  const old = asked.supersedes === undefined ? undefined : await memory.getBlock(asked.supersedes);
  // Nothing that came from outside is said of what did not.
  const given = old?.trust === context.trust ? { ...getFacts(old), ...asked } : asked;
  const entry = toEntry(given, (services.clock ?? systemClock).now());
  const { same, near } = await findSimilar(memory, entry.text, context.signal);
  const others = near.filter((one) => one.id !== old?.id && one.id !== same?.id);
  if (same !== undefined && old === undefined && same.trust === context.trust)
    return known(services, given, same);
  // What comes from outside takes the place of nothing that does not.
  const corrects = old !== undefined && (context.trust === "trusted" || old.trust === "untrusted");
  const stored = corrects
    ? (await memory.supersedeBlock(old.id, entry)).entry
    : await memory.createBlock(entry);
  const named = old === undefined || corrects ? others : [old, ...others];
  const data = withoutUndefined({
    stored: true,
    id: stored.id,
    content: stored.text === given.content ? undefined : stored.text,
    superseded: corrects ? old.id : undefined,
    similar: named.length === 0 ? undefined : named.map((one) => showMemory(one, 300)),
    notes: listNotes([
      old !== undefined &&
        !corrects &&
        `"${old.id}" was not superseded: this comes from outside, and that does not`,
      named.length > 0 && howToCorrect,
      ...(await after(services, given, stored)),
    ]),
  });
  return labelledContent(data, named);
}

/** What goes on to be said of a memory that is corrected, where the correction says nothing of it. */
function getFacts({ category, tags: kept, names }: MemoryEntry): Pick<Given, "category" | "tags" | "names"> {
  return { category, tags: [...kept], names: [...names] };
}

const howToCorrect =
  "If this corrects a similar one, store it again with supersedes, and forget this one; if both are so, leave them";

/** It is there already: what was said about it in addition is added. */
async function known(services: MemoriesServices, given: Given, same: MemoryEntry): Promise<unknown> {
  const mayAdd = memoryGate(same.permission, "append") === "allow";
  const data = withoutUndefined({
    stored: false,
    id: same.id,
    notes: listNotes([
      "It is remembered already, in the same words",
      mayAdd && (await relate(services, given, same)),
    ]),
  });
  return labelledContent(data, [same]);
}

function toEntry(given: Given, now: number): NewMemoryEntry {
  const { content, category = "general", valid_from: from, valid_to: to } = given;
  return {
    kind: "memory",
    tier: "archival",
    permission: "admin",
    text: withAbsoluteDates(content, formatDay(now)),
    category,
    tags: given.tags ?? [],
    names: given.names ?? [],
    ...(from !== undefined && { validFrom: parseTime(from) }),
    ...(to !== undefined && { validTo: parseTime(to) }),
  };
}

/** The memory is stored by now, whatever becomes of the rest. */
async function after(
  services: MemoriesServices,
  given: Given,
  stored: MemoryEntry,
): Promise<(string | false)[]> {
  const notes = [await relate(services, given, stored)];
  try {
    await services.remembered?.(stored);
  } catch (thrown) {
    notes.push(`It was not put into the queue of what is to be learnt from it: ${getErrorMessage(thrown)}`);
  }
  return notes;
}

async function relate(
  { graph }: MemoriesServices,
  { names = [], relations = [] }: Given,
  { id: entryId, scope }: MemoryEntry,
): Promise<string | false> {
  if (names.length + relations.length === 0) return false;
  if (graph === undefined) return relations.length > 0 && "The relations are not kept: there is no graph";
  try {
    await graph.add(scope, [{ entryId, nodes: names.map((name) => ({ name })), edges: relations }]);
    return false;
  } catch (thrown) {
    if (!(thrown instanceof MemoryError)) throw thrown;
    return `The names and relations are not kept: ${thrown.message}`;
  }
}

function listNotes(notes: readonly (string | false)[]): readonly string[] | undefined {
  const said = notes.filter((note) => note !== false);
  return said.length === 0 ? undefined : said;
}
