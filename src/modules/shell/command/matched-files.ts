import { posix } from "node:path";
import { isSecretName } from "../../../host/index.ts";
import type { FileUseKind } from "./analysis.ts";
import { toFileAccess } from "./secrets-below.ts";
import type { CommandPlace } from "./syntax/place.ts";

const mostMatches = 2000;

export type PatternKind = Extract<FileUseKind, "matches" | "each" | "matched-names">;

/**
 * Why a program can't read what a pattern of the shell stands for by now; undefined where these are files without
 * secrets. Only the last name of the path is a pattern.
 */
export async function objectionToMatches(
  path: string,
  place: CommandPlace,
  kind: PatternKind,
): Promise<string | undefined> {
  const folder = posix.dirname(path);
  const matches = mayMatch(posix.basename(path));
  const access = toFileAccess(place);
  if (place.workspace.status(folder, access)?.type !== "folder") return undefined;
  const { entries, truncated } = await place.workspace.list(folder, access, {
    recursive: false,
    limit: mostMatches,
    matches,
  });
  if (truncated) return "it may stand for too many files to look at";
  for (const { path: name, type } of entries) {
    if (name.startsWith("-")) return `it may stand for ${name}, which a program may take for an option`;
    if (kind === "matched-names") continue;
    if (kind === "each" && /[\s*?[\\]/.test(name))
      return `it may stand for ${name}, which a shell may take for other names`;
    if (isSecretName(name.toLowerCase())) return `it may stand for ${name}, which may hold secrets`;
    if (type === "file" || type === "folder") continue;
    const target = place.workspace.locate(`${folder}/${name}`, place.context);
    if (!target.within || target.path.toLowerCase().split("/").some(isSecretName))
      return `it may stand for ${name}, which leads elsewhere`;
  }
  return undefined;
}

/**
 * A test for names by what is literal at the pattern's ends: it tells more names than there are matches, and
 * never less.
 */
function mayMatch(pattern: string): (name: string) => boolean {
  const head = pattern.slice(0, Math.max(0, pattern.search(/[*?[+@!(]/)));
  const tail = /[^*?\])]*$/.exec(pattern)?.[0] ?? "";
  const findsHidden = !/^[*?[]/.test(pattern);
  return (name) => name.startsWith(head) && name.endsWith(tail) && (findsHidden || !name.startsWith("."));
}
