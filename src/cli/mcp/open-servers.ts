import type { App } from "../../app/index.ts";
import type { Session } from "../session.ts";
import { awaitServers } from "./await-servers.ts";

/** An installation that is connected to these servers, or has failed to be in time. */
export async function openServers(session: Session, names?: readonly string[]): Promise<App> {
  const app = await session.openApp({
    sources: "once",
    ...(names !== undefined && { servers: names }),
    // How each is comes with its health.
    onError: (error) => {
      if (session.common.verbose === true) session.note(error);
    },
  });
  await awaitServers(session, app);
  return app;
}
