import type { FileUse } from "../analysis.ts";

/** The places to which a path of the line may lead: one for each folder that the line may be in. */
export function resolvePaths(
  { path, home }: Pick<FileUse, "path" | "home">,
  folders: readonly string[],
  cwd: string,
): string[] {
  if (home || path.startsWith("/")) return [path];
  return folders.map((folder) => {
    const below = folder === "" ? `./${path}` : `${folder}/${path}`;
    return below.startsWith("/") || folder.startsWith("~") ? below : `${cwd}/${below}`;
  });
}
