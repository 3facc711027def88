import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../app/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { CliError } from "../errors.ts";
import { findServing } from "../find-serving.ts";
import type { Session } from "../session.ts";

/** How long to wait until the run has begun: a haft in the background notices it within a quarter second. */
const mostWaitMs = 1_000;
const lookMs = 50;

/**
 * Checks that whoever drives the run later can honour its options.
 *
 * @throws {CliError} CLI_USAGE
 */
export function checkDetachable({
  yes,
  profile,
}: {
  readonly yes?: boolean;
  readonly profile?: string;
}): void {
  if (yes === true)
    throw new CliError(
      "CLI_USAGE",
      "Cannot detach with --yes: nobody says yes for you in the background; its questions wait in `haft approvals`, and rules allow what needs none",
    );
  if (profile !== undefined)
    throw new CliError(
      "CLI_USAGE",
      "Cannot detach with --profile: the tools are those of the haft that works in the background; set `tools.profile` in the configuration",
    );
}

/** Leaves a stored run to the haft that works in the background, and says whether there is one. */
export async function leaveInBackground(session: Session, app: App, run: Run): Promise<void> {
  const { terminal } = session;
  const { id, sessionId } = run;
  const isBegun = await waitUntilBegun(session, app, run);
  const servedBy = isBegun ? undefined : await findServing(session, app.folder);
  if (session.asJson) {
    terminal.jsonLine({
      type: "run.detached",
      runId: id,
      sessionId,
      folder: app.folder,
      begun: isBegun,
      servedBy: servedBy?.pid ?? null,
    });
    return;
  }
  terminal.out(`${id}\n`);
  terminal.err(`\`haft sessions show ${sessionId}\` says how it stands\n`);
  if (isBegun) return;
  if (servedBy !== undefined)
    terminal.err(`It has not begun: the haft of process ${servedBy.pid} takes it up when it has room\n`);
  else
    session.warn([
      `no haft works in the background for ${app.folder}, so nobody has begun it: \`haft serve --detach\` starts one, \`haft run --resume ${id}\` does it here`,
    ]);
}

async function waitUntilBegun(session: Session, app: App, { scope, id }: Run): Promise<boolean> {
  const { runs } = await app.store();
  for (let waited = 0; ; waited += lookMs) {
    const run = await runs.get(scope, id);
    if (run !== undefined && run.state !== "pending") return true;
    if (waited >= mostWaitMs || session.signal.aborted) return false;
    await sleep(lookMs);
  }
}
