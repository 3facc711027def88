import { z } from "zod";
import { type EntryType, parseGlob } from "../../../host/index.ts";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { fileEffect } from "../file-effect.ts";
import { maxListedEntries, maxListOutputChars } from "../limits.ts";
import type { FileServices } from "../services.ts";

const parameters = z.strictObject({
  path: z.string().min(1).default(".").describe("The folder, absolute or relative to the working folder."),
  recursive: z.boolean().default(false).describe("List subfolders too, except inside .git and node_modules."),
  pattern: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe("Only entries whose name (or path, with /) fits the glob, for example *.ts."),
});

export interface FileInfo {
  /** The path from the listed folder. */
  readonly path: string;
  readonly type: EntryType;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
  /** The name is not UTF-8 and stands here with `\xHH` for its bytes. */
  readonly unnameable?: true;
  readonly notEntered?: true;
}

interface ListFilesResult {
  readonly files: readonly FileInfo[];
  /** There are more than 10,000. */
  readonly truncated?: true;
}

export function listFilesTool(services: FileServices): Tool {
  return defineTool({
    name: "list_files",
    title: "List a folder",
    description: "List the files and folders in a folder, with type, size and time of change.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    maxOutputChars: maxListOutputChars,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute({ path, recursive, pattern }, context): Promise<ListFilesResult> {
      const matches =
        pattern === undefined
          ? undefined
          : parseGlob(pattern.includes("/") ? pattern : `**/${pattern}`).matches;
      const listing = await services.workspace.list(path, context, {
        recursive,
        limit: maxListedEntries,
        ...(matches !== undefined && { matches }),
      });
      const files = listing.entries.map(({ modifiedAt, ...entry }) => ({
        ...entry,
        modified: new Date(modifiedAt).toISOString(),
      }));
      return { files, ...(listing.truncated && { truncated: true }) };
    },
  });
}
