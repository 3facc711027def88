import { isRecord } from "../../base/index.ts";
import type { TextPart } from "../../model/index.ts";
import type { Run, Runs } from "../../modules/sessions/index.ts";
import { AgentSetupError } from "../errors.ts";

/** The project folder that a run works in; undefined for one that nobody noted it for. */
export function readFolder({ settings }: Pick<Run, "settings">): string | undefined {
  const folder = isRecord(settings) ? settings["folder"] : undefined;
  return typeof folder === "string" ? folder : undefined;
}

/** The folder that the newest run of a session works in; undefined where that is not known. */
export async function findSessionFolder(
  runs: Pick<Runs, "list">,
  scope: string,
  sessionId: string,
): Promise<string | undefined> {
  const [newest] = await runs.list({ scope, sessionId, limit: 1 });
  return newest === undefined ? undefined : readFolder(newest);
}

/** Tells the model that the conversation goes on in another folder than before; nothing where it does not. */
export function describeMove(before: string | undefined, folder: string): readonly TextPart[] {
  if (before === undefined || before === folder) return [];
  const text = `(The working folder is now ${folder}. What was said before was about ${before}.)`;
  return [{ type: "text", text }];
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
