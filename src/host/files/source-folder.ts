import { constants } from "node:fs";
import { open, opendir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { formatBytes, getErrorCode, getErrorMessage } from "../../base/index.ts";

/** A text that its owner laid down for haft: a tool in Markdown, a hook, an extension. */
export interface SourceFile {
  /** Canonical. */
  readonly path: string;
  /** The path from the folder, with `/`. */
  readonly relative: string;
  readonly text: string;
}

/** What was passed over, and why. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface SourceFolderOptions {
  /** Whether a path counts, given from the folder on. */
  readonly match: (relative: string) => boolean;
  /** More are passed over. @default 1,000 */
  readonly maxFiles?: number;
  /** Larger ones are passed over. @default 1 MiB */
  readonly maxBytes?: number;
}

export interface SourceFolder {
  /** The files in the order of their names. */
  readonly files: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
}

/** Folders within folders, at most. */
const mostDepth = 8;
const passedOver = new Set(["node_modules", ".git"]);

/**
 * Reads the files of a folder and of those in it that match, by name. Links are passed over: what is accepted has to
 * lie where it is looked at. A folder that is not there is empty; one that can't be looked into is itself passed over.
 */
export async function readSourceFiles(
  folder: string,
  { match, maxFiles = 1000, maxBytes = 1024 ** 2 }: SourceFolderOptions,
): Promise<SourceFolder> {
  const files: SourceFile[] = [];
  const skipped: SkippedFile[] = [];
  const root = await realpath(folder).catch((error: unknown) => {
    if (!isAbsence(getErrorCode(error))) skipped.push(unopened(folder, error));
  });
  if (root === undefined) return { files, skipped };
  for (const path of await findFiles(root, { match, skipped })) {
    if (files.length === maxFiles) {
      skipped.push({ path, reason: `the folder has more than ${maxFiles} files; take some away` });
      break;
    }
    const text = await readText(path, maxBytes);
    if (typeof text === "string") files.push({ path, relative: toRelative(root, path), text });
    else skipped.push({ path, reason: text.reason });
  }
  return { files, skipped };
}

/** One file by itself; undefined where there is none. An empty one is none: while a command runs it may hold a place. */
export async function readSourceFile(
  path: string,
  { maxBytes = 1024 ** 2 }: Pick<SourceFolderOptions, "maxBytes"> = {},
): Promise<SourceFile | SkippedFile | undefined> {
  const text = await readText(path, maxBytes);
  if (text === "") return undefined;
  if (typeof text === "string") {
    const canonical = await realpath(path).catch(() => undefined);
    if (canonical === undefined) return undefined; // It went away meanwhile.
    return { path: canonical, relative: toRelative(join(canonical, ".."), canonical), text };
  }
  return isAbsence(text.code) ? undefined : { path, reason: text.reason };
}

function isAbsence(code: string | undefined): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

function unopened(path: string, error: unknown): SkippedFile {
  return { path, reason: `${getErrorCode(error) ?? getErrorMessage(error)}; make it readable` };
}

interface Search extends Pick<SourceFolderOptions, "match"> {
  readonly skipped: SkippedFile[];
}

async function findFiles(root: string, { match, skipped }: Search): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (passedOver.has(entry.name)) continue;
          if (depth < mostDepth) await visit(path, depth + 1);
          else skipped.push({ path, reason: `it lies more than ${mostDepth} folders deep; move it up` });
        } else if (match(toRelative(root, path))) {
          if (entry.isFile()) found.push(path);
          else skipped.push({ path, reason: "it is no plain file; put the file itself there" });
        }
      }
    } catch (error) {
      skipped.push(unopened(folder, error));
    }
  };
  await visit(root, 1);
  return found.sort();
}

interface Unread {
  readonly code: string | undefined;
  readonly reason: string;
}

/** Opened once, and no link is followed: what is read is what was measured. */
async function readText(path: string, maxBytes: number): Promise<string | Unread> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return { code: undefined, reason: "it is no plain file; put the file itself there" };
    if (stats.size > maxBytes) {
      const reason = `it has ${formatBytes(stats.size)}, and ${formatBytes(maxBytes)} are allowed; make it smaller`;
      return { code: undefined, reason };
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    const code = getErrorCode(error);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      return { code, reason: "it is no UTF-8 text; save it as UTF-8" };
    return {
      code,
      reason: code === "ELOOP" ? "it is a link; put the file itself there" : getErrorMessage(error),
    };
  }
}

function toRelative(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
