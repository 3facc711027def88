import type { App } from "../../app/index.ts";
import { listConversations } from "../../app/views/index.ts";
import { describeConversation } from "./conversations.ts";

const mostLookedAt = 30;
const mostListed = { here: 10, elsewhere: 5 } as const;

/** What `/sessions` shows, and the ids that can be completed afterwards. */
export interface ListedSessions {
  readonly lines: readonly string[];
  readonly ids: readonly string[];
}

/**
 * The newest conversations, a line for each, those of this folder first.
 *
 * @param all Whether those of tasks and reflections are among them.
 */
export async function listSessions(app: App, all: boolean): Promise<ListedSessions> {
  const found = await listConversations(app, { limit: mostLookedAt, all });
  const here = found.filter(({ folder }) => folder === app.folder);
  const elsewhere = found.filter(({ folder }) => folder !== app.folder);
  const now = Date.now();
  const describe = (list: typeof found, most: number) =>
    list.slice(0, most).map((one) => describeConversation(one, now));
  const lines =
    found.length === 0
      ? ["There are no conversations yet: this is the first"]
      : [
          ...(here.length === 0 ? ["None is of this folder"] : describe(here, mostListed.here)),
          ...(elsewhere.length === 0
            ? []
            : ["Of other folders:", ...describe(elsewhere, mostListed.elsewhere)]),
          "/resume <id> goes on with one",
        ];
  return { lines, ids: found.map(({ id }) => id) };
}
