import { isUtf8 } from "node:buffer";
import type { FileAccess } from "../../../host/index.ts";
import { type CallContext, type Effect, isWithinAny, type ToolContext } from "../../../kernel/index.ts";
import { TaskError } from "../store/errors.ts";
import type { NewTaskNote } from "../store/tasks.ts";
import type { AttachmentServices } from "./services.ts";

/** Maximum number of files of one task. */
export const mostAttachments = 10;
const maxBytes = 1_048_576;

/** The effects of copying these files: each is read, within the bounds of the call or not. */
export function readsAttachments(
  services: AttachmentServices | undefined,
  paths: readonly string[],
  context: CallContext,
): readonly Effect[] {
  if (services === undefined) return [];
  return paths.map((path) => {
    const { path: target, within } = services.workspace.locate(path, context);
    return { kind: "read", target, within };
  });
}

/**
 * Copies files to artifacts, since they may change before the task begins.
 *
 * @returns a note for each, with the id that `artifact_read` takes
 */
export async function copyAttachments(
  services: AttachmentServices | undefined,
  paths: readonly string[],
  context: ToolContext,
): Promise<readonly NewTaskNote[]> {
  if (paths.length === 0) return [];
  if (services === undefined)
    throw new TaskError(
      "QUEUE_ATTACHMENT",
      "Cannot attach files: there is no workspace; leave attachments out",
    );
  const untrusted = new Set(await services.untrustedFiles?.());
  const notes: NewTaskNote[] = [];
  for (const path of paths) notes.push(await copyAttachment(services, path, untrusted, context));
  return notes;
}

async function copyAttachment(
  { workspace, artifacts }: AttachmentServices,
  path: string,
  untrusted: ReadonlySet<string>,
  context: ToolContext & FileAccess,
): Promise<NewTaskNote> {
  const { path: target } = workspace.locate(path, context);
  const bytes = readBytes(workspace, path, context);
  const trust = context.trust === "untrusted" || isWithinAny(target, untrusted) ? "untrusted" : "trusted";
  const isText = isUtf8(bytes) && !bytes.includes(0);
  const { id } = await artifacts.put({
    scope: context.scope,
    callId: context.callId,
    kind: "output",
    mimeType: isText ? "text/plain" : "application/octet-stream",
    trust,
    data: isText ? bytes.toString("utf8") : bytes,
  });
  return { kind: "attachment", label: path, text: id, trust: context.trust };
}

function readBytes(workspace: AttachmentServices["workspace"], path: string, context: FileAccess): Buffer {
  using file = workspace.open(path, context);
  const { size } = file.status;
  if (size > maxBytes)
    throw new TaskError(
      "QUEUE_ATTACHMENT",
      `Cannot attach "${path}": it has ${size} bytes and the limit is ${maxBytes}; name its path in the description`,
    );
  const bytes = Buffer.alloc(size);
  return bytes.subarray(0, file.read(bytes, 0));
}
