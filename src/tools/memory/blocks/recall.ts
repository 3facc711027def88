import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { memoryEffects, type MemoryEntry, type MemoryWish } from "../../../store/index.ts";
import { memoryContent, showEntry } from "../memory-content.ts";
import { checkOperation } from "./operations.ts";
import { content, label } from "./parameters.ts";
import { type BlockMemory, memoryOf } from "./services.ts";

const operations = ["insert", "append", "read", "delete"] as const;

const parameters = z
  .strictObject({
    operation: z.enum(operations),
    label: label.optional().describe("Of the memory, or its id; insert makes one up where it is left out"),
    content: content.optional().describe("insert, append: the text"),
  })
  .superRefine(
    checkOperation<(typeof operations)[number]>({
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

export function recallTool(services: BlockMemory): Tool {
  return defineTool({
    name: "recall",
    title: "Keep and read archival memory",
    description:
      "Archival memory, which you do not see until you look: insert a text, append to one, read one whole, delete one " +
      "(where its permission is admin). Use search to find one.",
    category: "memory",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: ({ operation, label: key }, context) =>
      memoryEffects(services.memory, context, [{ key, operation: wished[operation] }]),
    async execute({ operation, label: key = "", content: text = "" }, context) {
      const memory = memoryOf(services, context);
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
  return memoryContent({ [what]: showEntry(entry) }, [entry]);
}

function showWhole(entry: MemoryEntry) {
  const { title, permission, text, createdAt, changedAt } = entry;
  const data = {
    ...showEntry(entry),
    ...(title !== undefined && { title }),
    permission,
    text,
    created: new Date(createdAt).toISOString(),
    changed: new Date(changedAt).toISOString(),
  };
  return memoryContent(data, [entry]);
}
