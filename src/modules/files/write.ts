import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { checkWrite, writeContent } from "./editing/write-content.ts";
import { fileEffect } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { withNotes } from "./text/shown-text.ts";

const parameters = z.strictObject({
  path: filePath,
  content: z.string().describe("The whole new content."),
});

export function writeTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    name: "write",
    title: "Write a file",
    description:
      "Create a file, with the folders it needs, or replace one as a whole. An existing file must have been read before, as it is now. To change a part of a file use edit.",
    category: "file",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    timeoutMs: 10_000,
    effects: ({ path }, context) => [fileEffect(services.workspace, "write", path, context)],
    check: ({ path, content }, context) =>
      checkWrite(services, path, { content, needsRead: true, seen }, context),
    async execute({ path, content }, context) {
      const written = await writeContent(services, path, { content, needsRead: true, seen }, context);
      const verb = {
        created: "Created",
        replaced: "Replaced",
        unchanged: "Left as it was, with this content already,",
      }[written.outcome];
      return withNotes(`${verb} ${written.path} (${written.bytesWritten} bytes)`, written.notes);
    },
  });
}
