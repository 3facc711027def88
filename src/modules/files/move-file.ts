import { z } from "zod";
import { HostError } from "../../host/index.ts";
import {
  type CallContext,
  type CheckContext,
  defineTool,
  type Effect,
  type Tool,
  type ToolContext,
} from "../../kernel/index.ts";
import { fileEffect, lookAt } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { FileServices } from "./services.ts";
import { Journal } from "./undo/journal.ts";

const parameters = z.strictObject({
  from: filePath.describe(
    "What to move: a file, a link or a folder. Absolute, or relative to the working folder.",
  ),
  to: filePath.describe("Its new path, name included; nothing may be there yet."),
});

interface MoveFileResult {
  readonly success: true;
}

export function moveFileTool(services: FileServices): Tool {
  return defineTool({
    name: "move_file",
    title: "Move or rename a file",
    description:
      "Move or rename a file or a folder, also to another disk. Makes the folders it needs; never overwrites.",
    category: "file",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "list both folders; it was moved where only the new path is there",
    effects: ({ from, to }, context) => listEffects(services, [from, to], context),
    check: ({ from, to }, context) => checkMove(services, from, to, context),
    async execute({ from, to }, context): Promise<MoveFileResult> {
      await moveEntry(services, from, to, context);
      return { success: true };
    },
  });
}

function listEffects({ workspace }: FileServices, paths: readonly string[], context: CallContext): Effect[] {
  return paths.map((path) => fileEffect(workspace, "write", path, context, { follow: false }));
}

/** Throws what would make the moving fail, as far as the call may look before anybody is asked. */
function checkMove(services: FileServices, from: string, to: string, context: CheckContext): void {
  const { workspace } = services;
  const effects = listEffects(services, [from, to], context);
  const access = lookAt(workspace, [from, to], context, { effects, follow: false });
  if (access === undefined) return;
  if (workspace.status(from, access, { follow: false }) === undefined) throw nothingToMove(from);
  workspace.checkMovable(from, to, access);
}

function nothingToMove(path: string): HostError {
  return new HostError(
    "FILE_NOT_FOUND",
    `Cannot move "${path}": file not found; check the path, or list its folder`,
    { details: { path } },
  );
}

async function moveEntry(
  services: FileServices,
  from: string,
  to: string,
  context: ToolContext,
): Promise<void> {
  const { workspace } = services;
  const journal = new Journal(services);
  const source = workspace.locate(from, context, { follow: false }).path;
  const target = workspace.locate(to, context, { follow: false }).path;
  const status = workspace.status(source, context, { follow: false });
  if (status === undefined) throw nothingToMove(source);
  workspace.checkMovable(source, target, context);
  await journal.move(source, status, target, context);
  const { madeFolders } = await workspace.move(source, target, context);
  for (const folder of madeFolders) await journal.madeFolder(folder, context);
}
