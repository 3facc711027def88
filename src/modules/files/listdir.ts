import { z } from "zod";
import { formatBytes } from "../../base/index.ts";
import type { FolderEntry } from "../../host/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { maxListedEntries, maxListOutputChars } from "./limits.ts";
import { filePath } from "./parameters.ts";
import type { FileServices } from "./services.ts";
import { showName, showTime, withNotes } from "./text/shown-text.ts";

const parameters = z.strictObject({
  path: filePath,
  recursive: z.boolean().default(false).describe("List subfolders too, except inside .git and node_modules."),
});

export function listdirTool(services: FileServices): Tool {
  return defineTool({
    name: "listdir",
    title: "List a folder",
    description:
      "List a folder: type (f file, d folder, l link), size, time of change (UTC) and path of each entry, in the order of their paths.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    timeoutMs: 5000,
    maxOutputChars: maxListOutputChars,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute({ path, recursive }, context) {
      const { entries, truncated } = await services.workspace.list(path, context, {
        recursive,
        limit: maxListedEntries,
      });
      const notes = [
        ...(entries.length === 0 ? ["the folder is empty"] : []),
        ...(truncated
          ? [`the first ${maxListedEntries} entries that were found; list a subfolder, or use glob`]
          : []),
      ];
      return withNotes(entries.map(toLine).join("\n"), notes);
    },
  });
}

const letters = { file: "f", folder: "d", link: "l", other: "?" } as const;

function toLine({ path, type, size, modifiedAt, unnameable, notEntered }: FolderEntry): string {
  const marks = `${type === "folder" ? "/" : ""}${notEntered ? " (not entered)" : ""}${unnameable ? " (name is not UTF-8)" : ""}`;
  return `${letters[type]} ${(type === "file" ? formatBytes(size) : "-").padStart(7)} ${showTime(modifiedAt)} ${showName(path)}${marks}`;
}
