import { z } from "zod";
import { defineTool, labelledContent, type Tool, type ToolContext } from "../../../../kernel/index.ts";
import { MemoryError } from "../../store/errors.ts";
import type { Memory } from "../../store/memory.ts";
import { agentScope } from "../../store/memory-caller.ts";
import { type MemoryWish, memoryEffects } from "../../store/memory-effects.ts";
import { type MemoryEntry, memoryPermissions, type NewMemoryEntry } from "../../store/memory-entry.ts";
import { checkMemoryChange } from "../check-change.ts";
import { openMemory } from "../memory-of.ts";
import { checkOperation } from "../operation-parameters.ts";
import { entryKey, entryText } from "../parameters.ts";
import { showEntry } from "../show-entry.ts";
import type { BlockServices } from "./services.ts";

const operations = ["append", "replace", "archive", "load", "swap", "share", "unshare"] as const;

const parameters = z
  .strictObject({
    operation: z.enum(operations),
    label: entryKey
      .optional()
      .describe("The block's label; for load and swap a new label, under which a copy is loaded"),
    content: entryText.optional().describe("append: the text to add, on a line of its own"),
    old_content: entryText.optional().describe("replace: the exact text to replace, wherever it occurs"),
    new_content: z.string().optional().describe("replace: what to put in its place; empty deletes it"),
    archival_label: entryKey
      .optional()
      .describe("archive: the label to keep it under; load: the archival block to load"),
    archive_label: entryKey.optional().describe("swap: the block to archive"),
    load_label: entryKey.optional().describe("swap: the archival block to load instead"),
    agent: z.string().min(1).max(200).optional().describe("share, unshare: the other agent"),
    permission: z
      .enum(memoryPermissions)
      .optional()
      .describe("share: what the other agent may do; append by default, never more than the block allows"),
  })
  .superRefine(
    checkOperation<"operation", (typeof operations)[number]>("operation", {
      append: { needs: ["label", "content"] },
      replace: { needs: ["label", "old_content", "new_content"] },
      archive: { needs: ["label"], takes: ["archival_label"] },
      load: { needs: ["archival_label"], takes: ["label"] },
      swap: { needs: ["archive_label", "load_label"], takes: ["label"] },
      share: { needs: ["label", "agent"], takes: ["permission"] },
      unshare: { needs: ["label", "agent"] },
    }),
  );

/** Blocks that an agent may count on: the first append makes them, whatever other labels come near. */
const defaultBlocks: ReadonlyMap<string, Pick<NewMemoryEntry, "title" | "tier">> = new Map([
  ["persona", { title: "Who the agent is", tier: "core" }],
  ["human", { title: "Who the agent talks with", tier: "core" }],
  ["scratch", { title: "What the agent works on", tier: "core" }],
]);

/** The operation has what it needs: its parameters were checked. */
type Given = Required<Pick<z.output<typeof parameters>, "operation">> & Partial<z.output<typeof parameters>>;

export function blockTool(services: BlockServices): Tool {
  return defineTool({
    name: "block",
    aliases: ["context"],
    title: "Change a memory block",
    description:
      "Change the memory blocks you see, such as persona (who you are), human (who you talk with) and scratch (what you work on): " +
      "append to one (which creates it where it is missing), replace text in it, archive it, load one from the archive, " +
      "swap one for an archived one, share it with another agent. Returns the blocks' ids, labels and revisions.",
    category: "memory",
    parameters,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    verify: "look at the memory blocks that you see",
    effects: (given, context) => memoryEffects(services.memory, context, toWishes(given)),
    async check(given, context) {
      const effects = await memoryEffects(services.memory, context, toWishes(given));
      const planned = { effects, change: (memory: Memory) => change(memory, given, context) };
      try {
        await checkMemoryChange(services.memory, context, planned);
      } catch (thrown) {
        throw sayingHowToMakeOne(thrown);
      }
    },
    async execute(given, context) {
      try {
        const { data, entries } = await change(openMemory(services, context), given, context);
        return labelledContent(data, entries);
      } catch (thrown) {
        throw sayingHowToMakeOne(thrown);
      }
    },
  });
}

/** Adds to a message about a missing block how to create one. */
function sayingHowToMakeOne(thrown: unknown): unknown {
  if (!(thrown instanceof MemoryError) || thrown.code !== "MEMORY_NOT_FOUND") return thrown;
  const { message, details } = thrown;
  return new MemoryError("MEMORY_NOT_FOUND", `${message} ${howToMakeOne}`, { details, cause: thrown });
}

const howToMakeOne = "(To make a block: append to a new label; or recall insert, then block load)";

function toWishes(given: Given): MemoryWish[] {
  const { operation, label: key, archival_label: archival } = given;
  switch (operation) {
    case "append":
      return [{ key, operation: "append" }];
    case "replace":
      return [{ key, operation: "overwrite" }];
    case "archive": {
      const source: MemoryWish = { key, operation: "delete" };
      const replaces = archival !== undefined && archival !== key;
      return replaces ? [source, { key: archival, operation: "overwrite" }] : [source];
    }
    case "load":
      if (key === undefined || key === archival) return [{ key: archival, operation: "read", as: "move" }];
      return [
        { key: archival, operation: "read" },
        { key, operation: "create" },
      ];
    case "swap":
      return [
        { key: given.archive_label, operation: "overwrite" },
        { key: given.load_label, operation: "read", as: "move" },
        ...(key === undefined || key === given.load_label ? [] : [{ key, operation: "create" } as const]),
      ];
    case "share":
      return [{ key, operation: "read", as: "share" }];
    case "unshare":
      return [{ key, operation: "read", as: "move" }];
    default:
      return operation satisfies never;
  }
}

interface Changed {
  readonly data: Readonly<Record<string, unknown>>;
  readonly entries: readonly MemoryEntry[];
}

async function change(memory: Memory, given: Given, { scope }: Pick<ToolContext, "scope">): Promise<Changed> {
  const { operation, label: key = "", content: text = "", agent = "", permission } = given;
  switch (operation) {
    case "append": {
      const { entry, created } = await memory.appendOrCreateBlock(key, text, defaultBlocks.get(key));
      return ofOne(created ? { created: true } : { appended_chars: text.length }, entry);
    }
    case "replace": {
      const { old_content: old = "", new_content: fresh = "" } = given;
      const { entry, count } = await memory.replaceInBlock(key, old, fresh);
      return ofOne({ replaced: count }, entry);
    }
    case "archive": {
      const { archived, replaced } = await memory.archiveBlock(key, given.archival_label);
      return ofOne({ archived: key, ...(replaced && { replaced_older: true }) }, archived);
    }
    case "load": {
      const { loaded, kept } = await memory.loadBlock(given.archival_label ?? "", given.label);
      return ofOne(kept === undefined ? {} : { kept_archival: showEntry(kept) }, loaded);
    }
    case "swap": {
      const { archive_label: archive = "", load_label: load = "" } = given;
      const { archived, loaded, kept } = await memory.swapBlocks(archive, load, given.label);
      const entries = [archived, loaded];
      const stays = kept === undefined ? {} : { kept_archival: showEntry(kept) };
      return { data: { archived: showEntry(archived), loaded: showEntry(loaded), ...stays }, entries };
    }
    case "share":
      return ofOne(
        { shared_with: agent },
        await memory.shareBlock(key, agentScope(scope, agent), permission),
      );
    case "unshare":
      return ofOne({ unshared_with: agent }, await memory.unshareBlock(key, agentScope(scope, agent)));
    default:
      return operation satisfies never;
  }
}

function ofOne(what: Readonly<Record<string, unknown>>, entry: MemoryEntry): Changed {
  return { data: { ...what, block: showEntry(entry) }, entries: [entry] };
}
