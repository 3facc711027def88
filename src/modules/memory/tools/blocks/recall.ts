import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { type MemoryWish, memoryEffects } from "../../store/memory-effects.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { checkOperation } from "../operation-parameters.ts";
import { entryKey, entryText } from "../parameters.ts";
import { showEntry, showTime } from "../show-entry.ts";
import type { BlockServices } from "./services.ts";

const operations = ["insert", "append", "read", "delete"] as const;

const parameters = z
  .strictObject({
    operation: z.enum(operations),
    label: entryKey
      .optional()
      .describe("The memory's label or id; insert makes a label up if it is left out"),
    content: entryText.optional().describe("insert, append: the text"),
  })
  .superRefine(
    checkOperation<"operation", (typeof operations)[number]>("operation", {
      insert: { needs: ["content"], takes: ["label"] },
      append: { needs: ["label", "content"] },
      read: { needs: ["label"] },
      delete: { needs: ["label"] },
    }),
  );

const wished: Readonly<Record<(typeof operations)[number], MemoryWish["operation"]>> = {
  insert: "create",
  append: "append",
  read: "read",
  delete: "delete",
};

export function recallTool(services: BlockServices): Tool {
  return defineTool({
    name: "recall",
    title: "Keep and read archival memory",
    description:
      "Archival memory, which you do not see until you look: insert a text, append to one, read one whole, delete one " +
      "(where its permission is admin; its owner can bring it back). Use search to find one.",
    category: "memory",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    verify: "search archival memory for the text",
    effects: ({ operation, label: key }, context) =>
      memoryEffects(services.memory, context, [{ key, operation: wished[operation] }]),
    async execute({ operation, label: key = "", content: text = "" }, context) {
      const memory = openMemory(services, context);
      switch (operation) {
        case "insert": {
          const named = key === "" ? { text } : { text, label: key };
          return showChange("inserted", await memory.insertArchival(named));
        }
        case "append":
          return showChange("appended", await memory.appendToArchival(key, text));
        case "read":
          return showWhole(await memory.getBlock(key));
        case "delete":
          return showChange("deleted", await memory.deleteArchival(key));
        default:
          return operation satisfies never;
      }
    },
  });
}

function showChange(what: string, entry: MemoryEntry) {
  return labelledContent({ [what]: showEntry(entry) }, [entry]);
}

function showWhole(entry: MemoryEntry) {
  const { title, permission, text, createdAt, changedAt } = entry;
  const data = {
    ...showEntry(entry),
    ...(title !== undefined && { title }),
    permission,
    text,
    created: showTime(createdAt),
    changed: showTime(changedAt),
  };
  return labelledContent(data, [entry]);
}
