import type { OpenedFile, StagedWrite } from "../../../host/index.ts";
import type { CheckContext, ToolContext } from "../../../kernel/index.ts";
import { FileToolError } from "../errors.ts";
import { lookAt } from "../file-effect.ts";
import { checkSize } from "../limits.ts";
import { isSeen, markWritten, type SeenFiles } from "../seen-files.ts";
import type { FileServices } from "../services.ts";
import { readForm } from "../text/read-text.ts";
import { headBytes, isWide, type TextForm } from "../text/text-encoding.ts";
import { Journal } from "../undo/journal.ts";
import { ambiguous, applyEdit, linesAt, notFound, type TextEdit, toByteEdits } from "./edit-match.ts";
import { replaceInStream } from "./edit-stream.ts";
import { otherNames } from "./write-content.ts";

/** What became of the edits of one file. */
export interface Edited {
  /** Canonical. */
  readonly path: string;
  /** How many places each edit replaced. */
  readonly replacements: readonly number[];
  /** The first line, from 1, that each edit changed; empty for a file over 1 MiB. */
  readonly lines: readonly number[];
  readonly notes: readonly string[];
}

/** Files over this are edited on the way from the old to the new, never held. */
export const maxHeldBytes: number = 1024 * 1024;

/** Makes all edits of a file, each on what the ones before left, or none. The former content is kept. */
export async function editText(
  services: FileServices,
  path: string,
  edits: readonly TextEdit[],
  context: ToolContext,
  seen: SeenFiles,
): Promise<Edited> {
  edits.forEach((edit, at) => checkEdit(edit, path, nameEdit(edits, at)));
  using file = services.workspace.open(path, context);
  checkSize(file.path, file.status.size);
  const form = readForm(file, undefined);
  const known = await isSeen(seen, file, context);
  const [only] = edits;
  const streamed =
    edits.length === 1 && only !== undefined && file.status.size > maxHeldBytes && !isWide(form.encoding);
  const outcome = streamed
    ? await editStream(services, file, only, form, context)
    : await editHeld(services, file, edits, form, context);
  if (known) markWritten(seen, outcome.written, context);
  return outcome.edited;
}

/** Throws what would make the edits fail, as far as the call may look at the file before anybody is asked. */
export async function checkEdits(
  { workspace }: FileServices,
  path: string,
  edits: readonly TextEdit[],
  context: CheckContext,
): Promise<void> {
  edits.forEach((edit, at) => checkEdit(edit, path, nameEdit(edits, at)));
  const access = lookAt(workspace, [path], context);
  if (access === undefined) return;
  using file = workspace.open(path, access);
  checkSize(file.path, file.status.size);
  const form = readForm(file, undefined);
  if (file.status.size <= maxHeldBytes)
    applyEdits(await file.bytes(file.status.size, access.signal), edits, form, file.path);
}

interface Outcome {
  readonly edited: Edited;
  readonly written: Parameters<typeof markWritten>[1];
}

async function editHeld(
  services: FileServices,
  file: OpenedFile,
  edits: readonly TextEdit[],
  form: TextForm,
  context: ToolContext,
): Promise<Outcome> {
  const before = await file.bytes(file.status.size, context.signal);
  const { content, replacements, lines, notes } = applyEdits(before, edits, form, file.path);
  using staged = stageSame(services, file, context);
  await staged.write(content);
  const written = await commit(services, staged, context);
  return {
    edited: { path: file.path, replacements, lines, notes: [...notes, ...otherNames(staged)] },
    written,
  };
}

interface Applied extends Pick<Edited, "replacements" | "lines"> {
  readonly content: Buffer;
  readonly notes: ReadonlySet<string>;
}

/** Makes edits of content in memory, each on what the ones before left. */
export function applyEdits(
  before: Buffer,
  edits: readonly TextEdit[],
  form: TextForm,
  path: string,
): Applied {
  let content = before;
  const replacements: number[] = [];
  const lines: number[] = [];
  const notes = new Set<string>();
  for (const [at, edit] of edits.entries()) {
    const applied = applyEdit(content, edit, form, { path, name: nameEdit(edits, at) });
    replacements.push(applied.count);
    if (content.length <= maxHeldBytes)
      lines.push(...linesAt(content, applied.first.slice(0, 1), form.encoding));
    if (applied.note !== undefined) notes.add(applied.note);
    content = applied.content;
  }
  return { content, replacements, lines, notes };
}

async function editStream(
  services: FileServices,
  file: OpenedFile,
  edit: TextEdit,
  form: TextForm,
  context: ToolContext,
): Promise<Outcome> {
  const subject = { path: file.path, name: "the text" };
  const head = Buffer.allocUnsafe(headBytes);
  for (const { needle, replacement, note } of toByteEdits(
    edit,
    head.subarray(0, file.read(head, 0)),
    form,
    file.path,
  )) {
    using staged = stageSame(services, file, context);
    const write = (bytes: Buffer) => staged.write(bytes);
    const found = await replaceInStream(file, {
      needle,
      replacement,
      replaceAll: edit.replaceAll,
      write,
      signal: context.signal,
    });
    if (found === 0) continue;
    if (found > 1 && !edit.replaceAll) throw ambiguous(subject, found, []);
    checkSize(file.path, staged.size);
    const written = await commit(services, staged, context);
    const notes = [...(note === undefined ? [] : [note]), ...otherNames(staged)];
    return { edited: { path: file.path, replacements: [found], lines: [], notes }, written };
  }
  throw notFound(subject, undefined);
}

/** Stages the very file that was read: one that took its place meanwhile is refused when it is committed. */
function stageSame(services: FileServices, file: OpenedFile, context: ToolContext): StagedWrite {
  const staged = services.workspace.stage(file.path, context);
  if (staged.former?.status.version === file.status.version) return staged;
  staged[Symbol.dispose]();
  throw new FileToolError(
    "FILE_STALE",
    `Cannot edit "${file.path}": it was changed while it was edited; try again`,
  );
}

async function commit(
  services: FileServices,
  staged: StagedWrite,
  context: ToolContext,
): Promise<Outcome["written"]> {
  const { version, size } = await new Journal(services).commit(staged, context);
  return { path: staged.path, version, size, hash: staged.hash };
}

function checkEdit(edit: TextEdit, path: string, name: string): void {
  if (edit.oldString !== edit.newString) return;
  throw new FileToolError(
    "EDIT_EMPTY",
    `Cannot edit "${path}": ${name} is to be replaced by itself; give another new_string`,
  );
}

function nameEdit(edits: readonly TextEdit[], at: number): string {
  return edits.length === 1 ? "the text" : `the text of edit ${at + 1} of ${edits.length}`;
}
