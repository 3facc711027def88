import { isRecord } from "../../../base/index.ts";
import { isSecretName, type Workspace } from "../../../host/index.ts";
import type { Approval } from "../../../kernel/index.ts";
import { FileToolError } from "../errors.ts";
import { readForm } from "../text/read-text.ts";
import { decodeText } from "../text/text-encoding.ts";
import type { TextEdit } from "./edit-match.ts";
import { applyEdits, maxHeldBytes } from "./edit-text.ts";

/** A file as it is, and as a call would leave it. */
export interface FileChangePreview {
  readonly path: string;
  /** Undefined for a file that is not there. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What of a question says how its call changes a file. */
export type AskedChange = Pick<Approval, "toolName" | "params" | "effects">;

/**
 * Makes the change that a file tool is asked to make, in memory. Undefined for other calls, for a file that is no text of
 * at most 1 MiB or may hold secrets, and for a change that can't be made.
 */
export async function previewWrite(
  workspace: Workspace,
  { toolName, params, effects }: AskedChange,
  signal: AbortSignal,
): Promise<FileChangePreview | undefined> {
  const writes = effects.filter(({ kind }) => kind === "write");
  const [target] = writes;
  const change = readChange(toolName, params);
  if (change === undefined || target === undefined || writes.length > 1) return undefined;
  const { target: path } = target;
  if (path.split(/[/\\]/).some(isSecretName)) return undefined;
  const access = { allowedPaths: [], effects, signal };
  try {
    const status = workspace.status(path, access);
    if (status === undefined)
      return "content" in change ? { path, before: undefined, after: change.content } : undefined;
    if (status.type !== "file" || status.size > maxHeldBytes) return undefined;
    using file = workspace.open(path, access);
    const form = readForm(file, undefined);
    const bytes = await file.bytes(file.status.size, signal);
    const decode = (content: Buffer) => decodeText(content.subarray(form.bom), form.encoding).text;
    const before = decode(bytes);
    if ("content" in change) return { path, before, after: change.content };
    return { path, before, after: decode(applyEdits(bytes, change.edits, form, path).content) };
  } catch (error) {
    if (error instanceof FileToolError) return undefined;
    throw error;
  }
}

type Change = { readonly content: string } | { readonly edits: readonly TextEdit[] };

/** The change in the arguments of haft's own file tools, as they stand in a stored question. */
function readChange(toolName: string, params: unknown): Change | undefined {
  if (!isRecord(params)) return undefined;
  const { content, encoding, edits } = params;
  switch (toolName) {
    case "write":
    case "write_file":
      return typeof content === "string" && encoding !== "base64" ? { content } : undefined;
    case "edit":
    case "edit_file": {
      const read = (edits === undefined ? [params] : [edits].flat()).map(readEdit);
      return read.every((edit) => edit !== undefined) ? { edits: read } : undefined;
    }
    default:
      return undefined;
  }
}

function readEdit(given: unknown): TextEdit | undefined {
  if (!isRecord(given)) return undefined;
  const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = given;
  if (typeof oldString !== "string" || oldString === "" || typeof newString !== "string") return undefined;
  return { oldString, newString, replaceAll: replaceAll === true };
}
