import { createHash } from "node:crypto";
import type { ClientChangeBack, ClientEdit, Home } from "../../app/index.ts";
import { isRecord, parseJson } from "../../base/index.ts";
import type { FileChange } from "./file-change.ts";

/** A file that `haft connect` changed, with everything needed to undo the change. */
export interface ConnectedFile {
  readonly file: string;
  readonly form: ClientEdit["form"];
  /** The whole text before the change; null if there was no file. */
  readonly before: string | null;
  readonly afterDigest: string;
  readonly back: readonly ClientChangeBack[];
}

/** Reads from haft's own folder what was recorded of a connected client's files. */
export function readConnection(home: Home, id: string): readonly ConnectedFile[] {
  const parsed = parseJson(home.read(recordName(id)) ?? "");
  return isRecord(parsed) && Array.isArray(parsed["files"]) ? (parsed["files"] as ConnectedFile[]) : [];
}

/**
 * Records the state of files before they are changed. Where haft's last change still stands, the state before that
 * change is kept.
 */
export function writeConnection(home: Home, id: string, changes: readonly FileChange[]): void {
  const earlier = readConnection(home, id);
  const files = changes.map(({ file, form, before, after, back }): ConnectedFile => {
    const known = earlier.find((one) => one.file === file);
    const isAsLeft = known !== undefined && before !== undefined && digestText(before) === known.afterDigest;
    return {
      file,
      form,
      before: isAsLeft ? known.before : (before ?? null),
      afterDigest: digestText(after ?? ""),
      back: isAsLeft ? [...known.back, ...back] : back,
    };
  });
  const others = earlier.filter((one) => !files.some(({ file }) => file === one.file));
  write(home, id, [...others, ...files]);
}

export function dropConnection(home: Home, id: string): void {
  write(home, id, []);
}

export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function write(home: Home, id: string, files: readonly ConnectedFile[]): void {
  home.write(recordName(id), `${JSON.stringify({ files }, null, 2)}\n`);
}

function recordName(id: string): string {
  return `connected-${id}.json`;
}
