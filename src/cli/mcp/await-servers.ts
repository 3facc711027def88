import type { App } from "../../app/index.ts";
import type { Session } from "../session.ts";

/**
 * Waits until every MCP server has answered or failed in its time, or until the tool that is wanted is there: a server
 * that hangs costs its own tools alone.
 *
 * @throws {CliError} CLI_CANCELLED at Ctrl-C.
 */
export async function awaitServers(session: Session, app: App, wanted?: string): Promise<void> {
  const { signal } = session;
  const hasWanted = () => wanted !== undefined && app.registry.has(wanted);
  if (hasWanted()) return;
  const enough = Promise.withResolvers<void>();
  const cancel = () => enough.reject(signal.reason);
  const end = app.registry.onChange(() => {
    if (hasWanted()) enough.resolve();
  });
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    await Promise.race([app.sources.settled(), enough.promise]);
  } finally {
    end();
    signal.removeEventListener("abort", cancel);
  }
}
