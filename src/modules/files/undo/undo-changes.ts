import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import type { FileServices } from "../services.ts";
import { checkUndo, undoCall, undoEffects } from "./undo.ts";

const parameters = z.strictObject({
  call_id: z.string().min(1).max(200).describe("The id of the call whose changes to take back."),
});

interface UndoChangesResult {
  /** Paths that are as they were before the call. */
  readonly restored: readonly string[];
  /** Commands that ran in the folder at the same time: what they changed was taken back with it. */
  readonly alongside?: readonly string[];
}

export function undoChangesTool(services: FileServices): Tool {
  return defineTool({
    name: "undo_changes",
    title: "Undo a call's changes",
    description:
      "Take back what one call changed: a file tool, a command, or a script with the calls it made. Files are put back as they were, all or none. Refused if a file has changed since. What commands change in node_modules and other derived folders is not recorded; of .git only HEAD, refs and the index are, with git stash, switch and the like.",
    category: "file",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the files; they were put back, all or none, where they are as they were before that call",
    effects: ({ call_id }, context) => undoEffects(services, call_id, context),
    check: ({ call_id }, context) => checkUndo(services, call_id, context),
    async execute({ call_id }, context): Promise<UndoChangesResult> {
      const { restored, alongside } = await undoCall(services, call_id, context);
      return { restored, ...(alongside.length > 0 && { alongside }) };
    },
  });
}
