import type { Transaction } from "kysely";
import type { Run } from "../../../sessions/index.ts";
import { type ChangeTables, listChangedPaths } from "../../../undo/index.ts";
import { mostFiles, taskLimits } from "../limits.ts";

/** Lists the files that the calls of a run changed; those in its project folder by their paths within it. */
export async function listRunFiles(
  tx: Pick<Transaction<ChangeTables>, "selectFrom">,
  { scope, id, project }: Pick<Run, "scope" | "id" | "project">,
): Promise<readonly string[]> {
  const paths = await listChangedPaths(tx, { scope, callPrefix: `${id}.`, limit: mostFiles });
  return paths.map((path) => withinProject(path, project)).filter((path) => path.length <= taskLimits.path);
}

function withinProject(path: string, project: string | undefined): string {
  if (project === undefined || !path.startsWith(project)) return path;
  const [separator = ""] = path.slice(project.length);
  return separator === "/" || separator === "\\" ? path.slice(project.length + 1) : path;
}
