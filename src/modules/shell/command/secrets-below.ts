import { type FileAccess, secretGlobs } from "../../../host/index.ts";
import type { CommandPlace } from "./syntax/place.ts";

const lookMs = 1000;
const mostNamed = 2;
const secretNames = secretGlobs.map((glob) => glob.slice("**/".length));
const secrets = `**/{${secretNames.join(",")}}`;
/** They hide files from a search, and from git they don't. */
const ownIgnores = "**/{.ignore,.rgignore}";

export interface SecretsOptions {
  /** Leave out what git leaves out. */
  readonly asGit: boolean;
}

/** Up to two files below a folder that may hold secrets, from there; undefined where not everything was seen. */
export async function secretsBelow(
  folder: string,
  place: CommandPlace,
  { asGit }: SecretsOptions,
): Promise<readonly string[] | undefined> {
  const access = toFileAccess(place);
  const find = (pattern: string, gitignore: boolean) =>
    place.workspace.find(folder, access, { pattern, limit: mostNamed, gitignore, maxMs: lookMs });
  const found = await find(secrets, asGit);
  if (found.total > 0) return found.files.map(({ path }) => path);
  if (found.incomplete !== undefined) return undefined;
  if (!asGit) return [];
  const ignores = await find(ownIgnores, false);
  return ignores.total === 0 && ignores.incomplete === undefined ? [] : undefined;
}

/** What a look at files on behalf of the call may see. */
export function toFileAccess({ context }: Pick<CommandPlace, "context">): FileAccess {
  return {
    allowedPaths: context.allowedPaths ?? [],
    effects: [],
    signal: context.signal ?? new AbortController().signal,
  };
}
