import { z } from "zod";
import { HostError } from "../../host/index.ts";
import { type CheckContext, defineTool, type Tool, type ToolContext } from "../../kernel/index.ts";
import { fileEffect, lookAt } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { FileServices } from "./services.ts";
import { Journal } from "./undo/journal.ts";

const parameters = z.strictObject({
  path: filePath,
  recursive: z.boolean().default(false).describe("Delete a folder that is not empty, with all it holds."),
});

interface DeleteFileResult {
  /** false: nothing was there. */
  readonly deleted: boolean;
}

export function deleteFileTool(services: FileServices): Tool {
  return defineTool({
    name: "delete_file",
    title: "Delete a file",
    description:
      "Delete a file, a link (not what it points to) or a folder. What is deleted is kept for a while and can be restored with undo_changes.",
    category: "file",
    parameters,
    annotations: { destructive: true, idempotent: true, openWorld: false },
    effects: ({ path }, context) => [
      fileEffect(services.workspace, "delete", path, context, { follow: false }),
    ],
    check: ({ path, recursive }, context) => checkDelete(services, path, { recursive }, context),
    execute: async ({ path, recursive }, context): Promise<DeleteFileResult> => ({
      deleted: await deleteEntry(services, path, { recursive }, context),
    }),
  });
}

/** Throws what would make the deleting fail or do nothing, as far as the call may look before anybody is asked. */
function checkDelete(
  { workspace }: FileServices,
  path: string,
  { recursive }: { readonly recursive: boolean },
  context: CheckContext,
): void {
  const effects = [fileEffect(workspace, "delete", path, context, { follow: false })];
  const access = lookAt(workspace, [path], context, { effects, follow: false });
  if (access === undefined) return;
  const status = workspace.status(path, access, { follow: false });
  if (status === undefined) {
    throw new HostError(
      "FILE_NOT_FOUND",
      `Cannot delete "${path}": nothing is there, so nobody was asked; check the path, or list its folder`,
      { details: { path } },
    );
  }
  workspace.checkRemovable(path, access);
  if (status.type === "folder" && !recursive) workspace.checkEmpty(path, access);
}

/** Deletes what is at `path` and keeps it for undo; false where nothing is. */
async function deleteEntry(
  services: FileServices,
  path: string,
  { recursive }: { readonly recursive: boolean },
  context: ToolContext,
): Promise<boolean> {
  const { workspace } = services;
  const journal = new Journal(services);
  const status = workspace.status(path, context, { follow: false });
  if (status === undefined) return false;
  const { path: target } = workspace.locate(path, context, { follow: false });
  if (status.type === "folder") {
    if (!recursive) workspace.checkEmpty(target, context);
    workspace.checkRemovable(target, context);
    const reserved = await journal.folderRemoval(target, status.mode, context);
    await workspace.removeFolder(target, reserved, context);
    return true;
  }
  workspace.checkRemovable(target, context);
  if (status.type === "link")
    await journal.linkRemoval(target, workspace.linkTarget(target, context), context);
  else {
    using file = workspace.open(target, context);
    await journal.fileRemoval(file, context);
  }
  return workspace.remove(target, context);
}
