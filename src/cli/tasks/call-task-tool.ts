import type { App, Profile } from "../../app/index.ts";
import type { ToolResult } from "../../kernel/index.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { refuseTools } from "../asking/owner-only.ts";
import { approverFor } from "../asking/terminal-approver.ts";
import { CallDisplay } from "../calls/display.ts";
import { toExitCode } from "../exit-codes.ts";
import type { Session } from "../session.ts";
import type { ChosenCall } from "./choose-call.ts";
import type { OpenTasks } from "./open-tasks.ts";

/**
 * Opens an installation that has the tools of a profile, whatever the configuration chooses for agents.
 *
 * @throws {CliError} CLI_UNCONFIRMED where a tool of haft started this process.
 */
export async function openTaskTools(session: Session, profile: Profile): Promise<OpenTasks> {
  await refuseTools("change tasks");
  const app = await session.openApp({ sources: "once", profile });
  return { app, store: await app.store(), scope: app.context.scope ?? "local" };
}

/**
 * Calls a tool as the person at this terminal: by the same rules and hooks, and with the same record, as any other
 * call. Undefined if it failed, which is shown.
 *
 * @param options.yes Whether questions of the gate are answered with yes.
 */
export async function callTaskTool(
  session: Session,
  app: App,
  { tool, params }: Pick<ChosenCall, "tool" | "params">,
  { yes }: { readonly yes: boolean },
): Promise<(ToolResult & { readonly success: true }) | undefined> {
  const result = await app.executor.run(tool, params, {
    ...app.context,
    userId: ownerIdentity(),
    origin: { channel: "cli" },
    signal: session.signal,
    ...(await approverFor(session, yes)),
  });
  if (result.success) return result;
  session.exitCode = toExitCode(result.code);
  if (session.asJson) session.terminal.json(result);
  else {
    new CallDisplay(session.terminal).finish(result);
    if (result.details?.["approver"] === null) session.terminal.err("With --yes this one call is allowed\n");
  }
  return undefined;
}
