import { createHash } from "node:crypto";
import { basename } from "node:path";
import { type FileAccess, HostError } from "../../../../host/index.ts";
import type { CodeFile } from "../../../../kernel/index.ts";
import type { CommandPart } from "../analysis.ts";
import { codeUse } from "../programs/code-runners.ts";
import { toFileAccess } from "../secrets-below.ts";
import { resolvePaths } from "./paths.ts";
import type { CommandPlace, Places } from "./place.ts";

/** Words looked at for a file with code: it stands among the first. */
const mostWords = 8;
const mostBytes = 4 * 1024 * 1024;

/**
 * The files in the allowed folders that a part names and would start as code: a script by its path, or what an
 * interpreter or a build is given first. What those start in turn is not followed.
 */
export async function namedCode(
  { words }: CommandPart,
  folders: readonly string[],
  place: CommandPlace,
): Promise<readonly CodeFile[]> {
  const [program = "", ...args] = words;
  const startsCode = codeUse(basename(program), args) === "starts";
  const named = [
    ...(program.includes("/") ? [program] : []),
    ...(startsCode ? args.slice(0, mostWords).filter((word) => !word.startsWith("-")) : []),
  ];
  const found = new Map<string, CodeFile>();
  for (const path of named.flatMap((word) => resolvePaths({ path: word, home: false }, folders, place.cwd))) {
    const file = await readCode(path, place);
    if (file !== undefined) found.set(file.path, file);
  }
  return Array.from(found.values());
}

/** A file with code in the allowed folders, as it is now; undefined where there is none that the call may read. */
export async function readCode(path: string, place: CommandPlace): Promise<CodeFile | undefined> {
  const { workspace, context } = place;
  try {
    const { path: target, within } = workspace.locate(path, context);
    if (!within) return undefined;
    const digest = await digestOfCode(target, workspace, toFileAccess(place));
    return digest === undefined ? undefined : { path: target, digest };
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** SHA-256 of what is in a file; undefined where there is none that the call may read, or it is over 4 MiB. */
export async function digestOfCode(
  path: string,
  workspace: Pick<Places, "open">,
  access: FileAccess,
): Promise<string | undefined> {
  try {
    using file = workspace.open(path, access);
    return createHash("sha256")
      .update(await file.bytes(mostBytes, access.signal))
      .digest("hex");
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
