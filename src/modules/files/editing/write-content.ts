import type { StagedWrite } from "../../../host/index.ts";
import type { CheckContext, ToolContext } from "../../../kernel/index.ts";
import { FileToolError } from "../errors.ts";
import { lookAt } from "../file-effect.ts";
import { checkSize } from "../limits.ts";
import { checkSeen, markWritten, type SeenFiles } from "../seen-files.ts";
import type { FileServices } from "../services.ts";
import {
  detectForm,
  encodeText,
  headBytes,
  isWide,
  makeBom,
  type TextEncoding,
} from "../text/text-encoding.ts";
import { Journal } from "../undo/journal.ts";

export interface WriteOptions {
  readonly content: string;
  /** `base64`: the content is bytes. @default as the file is written now, or UTF-8 */
  readonly encoding?: TextEncoding | "base64";
  /** Refuse to replace a file that the agent of this call does not know as it is. */
  readonly needsRead: boolean;
  readonly seen: SeenFiles;
}

export interface Written {
  /** Canonical. */
  readonly path: string;
  readonly bytesWritten: number;
  readonly outcome: "created" | "replaced" | "unchanged";
  readonly notes: readonly string[];
}

const chunkBytes = 4 * 1024 * 1024;
const maxComparedBytes = 4 * 1024 * 1024;

/** Creates a file, with the folders it needs, or replaces it as a whole in one step. The former content is kept. */
export async function writeContent(
  services: FileServices,
  path: string,
  options: WriteOptions,
  context: ToolContext,
): Promise<Written> {
  using staged = services.workspace.stage(path, context);
  const { former } = staged;
  if (former !== undefined && options.needsRead) await checkSeen(options.seen, former, context);
  const { bytes, notes } = toBytes(staged, options);
  checkSize(staged.path, bytes.length);
  for (let at = 0; at < bytes.length; at += chunkBytes)
    await staged.write(bytes.subarray(at, at + chunkBytes));
  const written = { path: staged.path, bytesWritten: bytes.length, notes };
  if (former !== undefined && former.status.size === bytes.length && bytes.length <= maxComparedBytes) {
    if ((await former.hash(context.signal)) === staged.hash) return { ...written, outcome: "unchanged" };
  }
  const status = await new Journal(services).commit(staged, context);
  markWritten(
    options.seen,
    { path: staged.path, version: status.version, size: status.size, hash: staged.hash },
    context,
  );
  return {
    ...written,
    outcome: former === undefined ? "created" : "replaced",
    notes: [...notes, ...otherNames(staged)],
  };
}

/** Throws what would make the writing fail, as far as the call may look at the file before anybody is asked. */
export async function checkWrite(
  { workspace }: FileServices,
  path: string,
  { content, encoding, needsRead, seen }: WriteOptions,
  context: CheckContext,
): Promise<void> {
  if (encoding !== undefined && encoding !== "base64") encodeText(content, encoding, path);
  const access = needsRead ? lookAt(workspace, [path], context) : undefined;
  if (access === undefined || workspace.status(path, access)?.type !== "file") return;
  using file = workspace.open(path, access);
  await checkSeen(seen, file, access);
}

/** What to say of a file that had more names than the one that was replaced. */
export function otherNames({ former }: StagedWrite): string[] {
  const others = (former?.status.links ?? 1) - 1;
  return others > 0
    ? [`${others} other ${others === 1 ? "name" : "names"} (hard links) of the file keep the former content`]
    : [];
}

function toBytes(
  staged: StagedWrite,
  { content, encoding }: WriteOptions,
): { bytes: Buffer; notes: readonly string[] } {
  if (encoding === "base64") return { bytes: Buffer.from(content, "base64"), notes: [] };
  if (encoding !== undefined) return { bytes: encodeText(content, encoding, staged.path), notes: [] };
  const { former } = staged;
  if (former === undefined) return { bytes: Buffer.from(content), notes: [] };
  const head = Buffer.allocUnsafe(Math.min(headBytes, former.status.size));
  const form = detectForm(head.subarray(0, former.read(head, 0)));
  if (form === undefined || (form.encoding === "utf-8" && form.bom === 0))
    return { bytes: Buffer.from(content), notes: [] };
  try {
    const text = content.startsWith("\ufeff") ? content.slice(1) : content;
    const bytes = Buffer.concat([makeBom(form), encodeText(text, form.encoding, staged.path)]);
    const kept = isWide(form.encoding) || form.encoding === "latin1" ? form.encoding : "its byte order mark";
    return { bytes, notes: bytes.length === Buffer.byteLength(content) ? [] : [`the file keeps ${kept}`] };
  } catch (error) {
    if (!(error instanceof FileToolError)) throw error;
    return {
      bytes: Buffer.from(content),
      notes: ["the file was in Latin-1 and is in UTF-8 now, for characters that Latin-1 lacks"],
    };
  }
}
