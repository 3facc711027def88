import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import type { FileServices } from "./services.ts";
import { undoCall, undoEffects } from "./undo.ts";

const parameters = z.strictObject({
  call_id: z.string().min(1).max(200).describe("The id of the call whose changes to take back."),
});

interface UndoChangesResult {
  /** Paths that are as they were before the call. */
  readonly restored: readonly string[];
}

export function undoChangesTool(services: FileServices): Tool {
  return defineTool({
    name: "undo_changes",
    title: "Undo a call's changes",
    description:
      "Take back what one call of a file tool changed: written, edited, moved and deleted files are put back as they were, all or none. Refused if a file has changed since. Changes made by commands are not recorded.",
    category: "file",
    parameters,
    annotations: { destructive: false, openWorld: false },
    effects: ({ call_id }, context) => undoEffects(services, call_id, context),
    execute: async ({ call_id }, context): Promise<UndoChangesResult> => ({
      restored: await undoCall(services, call_id, context),
    }),
  });
}
