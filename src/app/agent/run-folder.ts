import { isRecord } from "../../base/index.ts";
import type { Run, Runs, Sessions } from "../../modules/sessions/index.ts";
import { AgentSetupError } from "../errors.ts";

/** The project folder that a run works in; undefined for a run that was stored without one. */
export function readFolder({ settings }: Pick<Run, "settings">): string | undefined {
  const folder = isRecord(settings) ? settings["folder"] : undefined;
  return typeof folder === "string" ? folder : undefined;
}

/**
 * The folder that the newest run of a session works in; of a copy without a run of its own, the one that it was copied
 * from. Undefined if it is not known.
 */
export async function findSessionFolder(
  {
    sessions,
    runs,
  }: { readonly sessions: Pick<Sessions, "shown">; readonly runs: Pick<Runs, "list" | "get"> },
  scope: string,
  sessionId: string,
): Promise<string | undefined> {
  const [own] = await runs.list({ scope, sessionId, limit: 1 });
  if (own !== undefined) return readFolder(own);
  // Copied entries name the runs that wrote them.
  const wroteLast = (await sessions.shown(scope, sessionId)).at(-1)?.runId;
  const run = wroteLast === undefined ? undefined : await runs.get(scope, wroteLast);
  return run && readFolder(run);
}

/**
 * Refuses to go on with a run in another folder: its calls were meant for the files of its own.
 *
 * @throws {AgentSetupError} AGENT_FOLDER
 */
export function requireFolder(run: Run, folder: string): void {
  const own = readFolder(run);
  if (own === undefined || own === folder) return;
  throw new AgentSetupError(
    "AGENT_FOLDER",
    `Cannot go on with the run "${run.id}" in ${folder}: it works in ${own}; go there, or add \`--folder ${own}\`. Something new said to the session "${run.sessionId}" may be done here`,
    { details: { folder: own, sessionId: run.sessionId } },
  );
}
