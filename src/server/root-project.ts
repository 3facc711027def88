import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord, showInvisible } from "../base/index.ts";
import type { Root } from "./mcp/messages/peer.ts";

/** Folders of a client that are looked at; the others choose nothing. */
const mostRoots = 100;
const mostChars = 300;

export interface RootChoice {
  /** The project that the owner named; absent: the start folder. */
  readonly project?: { readonly name: string; readonly folder: string };
  /** What the model must know of it. */
  readonly note?: string;
}

/**
 * Chooses the folder to work in by the folders that a client names: the first of them that the owner has opened, be it
 * the start folder or a named one.
 *
 * @param roots undefined where the client did not tell them
 * @param listProjects the folders that the owner has named, by their names; asked only about a folder that is not `start`
 */
export function chooseRoot(
  roots: readonly Root[] | undefined,
  start: string,
  listProjects: () => ReadonlyMap<string, string>,
): RootChoice {
  if (roots === undefined) {
    return {
      note: `These tools work in ${start}: the client did not tell which folder it works in. If that is another one, its owner opens it with \`haft trust FOLDER --as NAME\`, and the client uses the address that this prints.`,
    };
  }
  const folders = roots.slice(0, mostRoots).flatMap(({ uri }) => toFolder(uri) ?? []);
  let projects: ReadonlyMap<string, string> | undefined;
  for (const folder of folders) {
    if (folder === start) return {};
    projects ??= listProjects();
    const name = Array.from(projects).find(([, named]) => named === folder)?.[0];
    if (name !== undefined) {
      const note = `These tools work in ${folder} now, the folder that the client works in: relative paths start there.`;
      return { project: { name, folder }, note };
    }
  }
  const [first] = folders;
  if (first === undefined) return {};
  const remedy =
    first.length > mostChars
      ? "`haft trust FOLDER --as NAME`"
      : `\`haft trust ${shellWord(showInvisible(first))} --as ${toName(first)}\``;
  return {
    note: `These tools work in ${start}, not in the client's folder ${showInvisible(first.slice(0, mostChars))}: its owner has not opened that one for clients; a person does with ${remedy}.`,
  };
}

/** The path of a `file:` address, without symbolic links; undefined for any other. */
function toFolder(uri: string): string | undefined {
  let path: string;
  try {
    path = fileURLToPath(uri);
  } catch {
    return undefined;
  }
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A name for the folder that `haft trust --as` takes. */
function toName(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return name === "" ? "NAME" : name;
}
