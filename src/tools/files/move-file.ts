import { z } from "zod";
import { HostError } from "../../host/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { Journal } from "./journal.ts";
import { filePath } from "./parameters.ts";
import type { FileServices } from "./services.ts";

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
    effects: ({ from, to }, context) => [
      fileEffect(services.workspace, "write", from, context, { follow: false }),
      fileEffect(services.workspace, "write", to, context, { follow: false }),
    ],
    async execute({ from, to }, context): Promise<MoveFileResult> {
      await moveEntry(services, from, to, context);
      return { success: true };
    },
  });
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
  if (status === undefined) {
    throw new HostError(
      "FILE_NOT_FOUND",
      `Cannot move "${source}": file not found; check the path, or list its folder`,
      {
        details: { path: source },
      },
    );
  }
  workspace.checkMovable(source, target, context);
  await journal.move(source, status, target, context);
  const { madeFolders } = await workspace.move(source, target, context);
  for (const folder of madeFolders) await journal.madeFolder(folder, context);
}
