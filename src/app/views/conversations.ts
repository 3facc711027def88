import { type Run, type Runs, type Session, taskChannel } from "../../modules/sessions/index.ts";
import { reflectionChannel } from "../agent/reflection.ts";
import type { App } from "../create-app.ts";

/** How many of the newest conversations are listed. */
const mostLookedAt = 100;

/** A conversation with its folder, which is undefined if it is not known. */
export interface FoundConversation extends Session {
  readonly folder: string | undefined;
}

/** Channels of sessions without a person: agents work on tasks in them, and look back at what was done. */
const innerChannels = [taskChannel, reflectionChannel];

/** Which conversations are listed. */
export interface ConversationQuery {
  /** @default 100 */
  readonly limit?: number;
  /** Whether sessions without a person are listed, too: those of tasks and reflections. @default false */
  readonly all?: boolean;
}

/** Lists conversations with their folders, newest first. */
export async function listConversations(
  app: Pick<App, "store" | "agent" | "context">,
  { limit = mostLookedAt, all = false }: ConversationQuery = {},
): Promise<readonly FoundConversation[]> {
  const [{ sessions }, host] = await Promise.all([app.store(), app.agent()]);
  const found = await sessions.list({
    scope: app.context.scope ?? "local",
    limit,
    ...(!all && { exceptChannels: innerChannels }),
  });
  return Promise.all(found.map(async (one) => ({ ...one, folder: await host.findFolder(one.id) })));
}

/** Finds the run that tells the state of a session: one that is open, else the newest. */
export async function findCurrentRun(
  runs: Pick<Runs, "list">,
  { id, scope }: Pick<Session, "id" | "scope">,
): Promise<Run | undefined> {
  const found = (await runs.list({ scope, sessionId: id })).filter(({ kind }) => kind !== "reflect");
  const isOpen = ({ state }: Run) => state === "parked" || state === "pending" || state === "running";
  return found.find(isOpen) ?? found[0];
}
