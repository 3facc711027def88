import { canonicalJson, isRecord } from "../../../base/index.ts";
import { ConfigError } from "../../errors.ts";
import type { ClientEdit, ClientFileForm, ContentPath, FormEditor } from "./client-edit.ts";
import { jsonEditor } from "./edit-json.ts";
import { tomlEditor } from "./edit-toml.ts";
import { yamlEditor } from "./edit-yaml.ts";

/** The content before an edit at the places that the edit changed; it allows the edit to be undone on its own. */
export type ClientChangeBack =
  /** `before` absent: nothing was there. */
  | { readonly kind: "set"; readonly path: ContentPath; readonly value: unknown; readonly before?: unknown }
  | { readonly kind: "add"; readonly path: ContentPath; readonly items: readonly unknown[] }
  | { readonly kind: "write"; readonly text: string };

export interface AppliedEdit {
  readonly text: string;
  readonly back: readonly ClientChangeBack[];
}

/**
 * Applies an edit to the text of a client's file. Comments, order and all other content stay: the result is parsed
 * again and compared with what was intended.
 *
 * @param text the file's content; undefined if there is no file
 * @throws {ConfigError} CONFIG_SYNTAX for a file that can't be read, CONFIG_INVALID for one that can't be edited safely.
 */
export async function applyClientEdit(text: string | undefined, edit: ClientEdit): Promise<AppliedEdit> {
  const back: ClientChangeBack[] = [];
  let now = text ?? "";
  for (const change of edit.changes) {
    if (change.kind === "write") {
      if (text !== undefined && text !== change.text && !isOurs(text))
        throw handEdit(edit.file, "it is a file of your own");
      if (text !== change.text) back.push(change);
      now = change.text;
      continue;
    }
    const file = await open(now, edit);
    const before = valueAt(file.content, change.path);
    if (change.kind === "set") {
      if (isSame(before, change.value)) continue;
      now = setValue(file, now, { path: change.path, value: change.value, name: edit.file });
      back.push({ ...change, ...(before !== undefined && { before }) });
      continue;
    }
    const items = missingItems(before, change.items);
    if (items.length === 0) continue;
    now = addItems(file, now, { ...change, items, name: edit.file });
    back.push({ kind: "add", path: change.path, items });
  }
  return { text: now, back };
}

/**
 * Removes from the text of a client's file what an edit put there. What its owner changed since then stays.
 *
 * @returns `text`: undefined if the file is to be deleted; `kept`: the places that were changed since the edit
 * @throws {ConfigError} as {@link applyClientEdit}
 */
export async function takeBackEdit(
  text: string,
  { file, form, back }: Pick<ClientEdit, "file" | "form"> & { readonly back: readonly ClientChangeBack[] },
): Promise<{ readonly text: string | undefined; readonly kept: readonly string[] }> {
  const kept: string[] = [];
  let now = text;
  for (const change of back.toReversed()) {
    if (change.kind === "write") {
      if (now === change.text) return { text: undefined, kept };
      kept.push("the whole file");
      continue;
    }
    const opened = await open(now, { file, form });
    const held = valueAt(opened.content, change.path);
    if (change.kind === "set" && !isSame(held, change.value)) {
      kept.push(change.path.join("."));
      continue;
    }
    now =
      change.kind === "set"
        ? setValue(opened, now, { path: change.path, value: change.before, name: file })
        : removeItems(opened, now, {
            path: change.path,
            name: file,
            goes: (item) => isAmong(change.items, item),
          });
  }
  return { text: now, kept };
}

/** Whether a file's content already has what an edit would put there. */
export async function saysEdit(text: string | undefined, edit: ClientEdit): Promise<boolean> {
  return (await applyClientEdit(text, edit)).back.length === 0;
}

/** Reads the value at a path in a file's text; undefined if there is none or the text cannot be parsed. */
export async function readClientValue(
  text: string,
  form: ClientFileForm,
  path: ContentPath,
): Promise<unknown> {
  return form === "text" ? undefined : valueAt((await editorFor(form)).parse(text), path);
}

interface OpenedFile {
  readonly editor: FormEditor;
  readonly content: unknown;
}

async function open(text: string, { file, form }: Pick<ClientEdit, "file" | "form">): Promise<OpenedFile> {
  const editor = await editorFor(form);
  const content = editor.parse(text);
  if (isRecord(content)) return { editor, content };
  throw new ConfigError(
    "CONFIG_SYNTAX",
    `Cannot edit "${file}": it is no ${form.toUpperCase()} with an object in it; correct it there`,
  );
}

function editorFor(form: ClientFileForm): Promise<FormEditor> {
  if (form === "toml") return tomlEditor();
  return form === "yaml" ? yamlEditor() : jsonEditor();
}

/** Sets one value, or removes it (undefined), and verifies that nothing else changed. */
function setValue(
  { editor, content }: OpenedFile,
  text: string,
  { path, value, name }: { readonly path: ContentPath; readonly value: unknown; readonly name: string },
): string {
  const next = tryEdit(() =>
    value === undefined ? editor.remove(text, path) : editor.set(text, path, value),
  );
  return checked(editor, next, { expected: withValue(content, path, value), name });
}

/** Verifies that the edited text has the intended content and all other content unchanged. */
function checked(
  editor: FormEditor,
  text: string | undefined,
  { expected, name }: { readonly expected: unknown; readonly name: string },
): string {
  const read = text === undefined ? undefined : editor.parse(text);
  if (text !== undefined && isRecord(read) && isSame(filled(read), filled(expected))) return text;
  throw handEdit(name, "it is written in a way that can't be edited safely");
}

interface ItemsToAdd {
  readonly path: ContentPath;
  readonly items: readonly unknown[];
  readonly by?: string;
  readonly name: string;
}

/** Adds items to a list one by one, so that the existing items keep their formatting. */
function addItems(file: OpenedFile, text: string, { path, items, by, name }: ItemsToAdd): string {
  const cleared =
    by === undefined
      ? text
      : removeItems(file, text, {
          path,
          name,
          goes: (item) => items.some((ours) => isNamed(item, ours, by)),
        });
  const content = file.editor.parse(cleared);
  const held = valueAt(content, path);
  if (held === undefined)
    return setValue({ editor: file.editor, content }, cleared, { path, value: items, name });
  if (!Array.isArray(held)) throw handEdit(name, `its ${path.join(".")} is no list`);
  const list: readonly unknown[] = held;
  const next = tryEdit(() =>
    items.reduce<string>(
      (sofar, item, at) => file.editor.append(sofar, path, item, list.length + at),
      cleared,
    ),
  );
  return checked(file.editor, next, { expected: withValue(content, path, [...list, ...items]), name });
}

interface ItemsToRemove {
  readonly path: ContentPath;
  readonly goes: (item: unknown) => boolean;
  readonly name: string;
}

function removeItems(
  { editor, content }: OpenedFile,
  text: string,
  { path, goes, name }: ItemsToRemove,
): string {
  const held = valueAt(content, path);
  if (!Array.isArray(held) || !held.some(goes)) return text;
  const list: readonly unknown[] = held;
  const next = tryEdit(() =>
    list.reduceRight<string>(
      (sofar, item, at) => (goes(item) ? editor.remove(sofar, [...path, at]) : sofar),
      text,
    ),
  );
  return checked(editor, next, {
    expected: withValue(
      content,
      path,
      list.filter((item) => !goes(item)),
    ),
    name,
  });
}

/** Runs an edit; undefined if the editor throws because a parent on the path is not an object. */
function tryEdit(edit: () => string): string | undefined {
  try {
    return edit();
  } catch {
    return undefined;
  }
}

/** Returns the content without empty objects, which formats without braces cannot express. */
function filled(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, filled(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isRecord(item) || Object.keys(item).length > 0));
}

function handEdit(file: string, why: string): ConfigError {
  return new ConfigError(
    "CONFIG_INVALID",
    `Cannot edit "${file}": ${why}; edit it by hand, \`haft serve --print-config\` shows what belongs there`,
  );
}

const ownMark = "haft connect";

/** Whether this or an earlier version of haft wrote the file, which then contains {@link ownMark}. */
function isOurs(text: string): boolean {
  return text.includes(ownMark);
}

function valueAt(content: unknown, path: ContentPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    content,
  );
}

/** Returns the content with another value at a path; undefined removes the key. */
function withValue(content: unknown, [key, ...rest]: ContentPath, value: unknown): unknown {
  if (key === undefined) return value;
  const { [key]: held, ...others } = isRecord(content) ? content : {};
  const next = rest.length === 0 ? value : withValue(held, rest, value);
  return next === undefined ? others : { ...(isRecord(content) && content), [key]: next };
}

function isNamed(item: unknown, ours: unknown, by: string): boolean {
  return isRecord(item) && isRecord(ours) && item[by] === ours[by];
}

function missingItems(held: unknown, items: readonly unknown[]): readonly unknown[] {
  return items.filter((ours) => !(Array.isArray(held) && isAmong(held, ours)));
}

function isAmong(items: readonly unknown[], one: unknown): boolean {
  return items.some((item) => isSame(item, one));
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
