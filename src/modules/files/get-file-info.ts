import { z } from "zod";
import type { EntryType } from "../../host/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { FileServices } from "./services.ts";

const parameters = z.strictObject({ path: filePath });

export interface GetFileInfoResult {
  readonly exists: boolean;
  /** Bytes; null where nothing is. */
  readonly size: number | null;
  /** ISO 8601; null where nothing is. */
  readonly modified: string | null;
  readonly type?: EntryType;
  /** Permissions in octal, such as `644`. */
  readonly mode?: string;
  /** The file itself, if a link on the way led to it. */
  readonly path?: string;
}

export function getFileInfoTool(services: FileServices): Tool {
  return defineTool({
    name: "get_file_info",
    title: "Look at a file",
    description:
      "Tell whether a file or folder exists, its size, type, permissions and time of change. A link is followed.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    execute({ path }, context): GetFileInfoResult {
      const status = services.workspace.status(path, context);
      if (status === undefined) return { exists: false, size: null, modified: null };
      return {
        exists: true,
        size: status.size,
        modified: new Date(status.modifiedAt).toISOString(),
        type: status.type,
        mode: status.mode.toString(8),
        path: services.workspace.locate(path, context).path,
      };
    },
  });
}
