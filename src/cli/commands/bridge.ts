import type { Command } from "commander";
import { systemClock } from "../../base/index.ts";
import { addExamples } from "../examples.ts";
import { toPort } from "../options/port.ts";
import { servePort } from "../serve-port.ts";
import type { Session } from "../session.ts";
import { formatSpan, parseSpan } from "../text/span.ts";

interface BridgeOptions {
  readonly port?: number;
  readonly token?: boolean;
  readonly for: string;
}

export function defineBridge(command: Command, session: Session): void {
  command
    .option("--port <n>", "of `haft serve --bridge` (default: the configuration's, or 4280)", toPort)
    .option("--token", "print a token for a host program of your own, not the address of the page")
    .option("--for <span>", "how long the token lasts", "30d")
    .action((options: BridgeOptions) => pair(session, options));
  addExamples(command, [
    ["haft serve --bridge", "first, and in another terminal: let host programs connect"],
    ["haft bridge", "the address of a page for your browser; it works once, for ten minutes"],
    ["haft bridge --token --for 90d", "what a desktop program shows to connect"],
  ]);
  command.addHelpText(
    "after",
    "\nA host program lends the agent what only it can do: a file picker, a notification, a dialog.\nIts tools are there while it is connected, and every call goes through the same gate.",
  );
}

async function pair(session: Session, options: BridgeOptions): Promise<void> {
  const [{ BridgePasses, bridgePath }, app] = await Promise.all([
    import("../../server/bridge/index.ts"),
    session.openApp(),
  ]);
  session.warn(app.loaded.warnings);
  const passes = new BridgePasses(app.home.bridgeKey(), systemClock);
  const address = `127.0.0.1:${options.port ?? servePort(app)}${bridgePath}`;
  const { terminal } = session;
  if (options.token === true) {
    const lifeMs = parseSpan(options.for);
    const socket = `ws://${address}/socket`;
    const token = passes.issueToken(lifeMs);
    if (session.asJson) terminal.json({ socket, token, endsAt: systemClock.now() + lifeMs });
    else {
      terminal.err(`For ${socket}, as Authorization: Bearer …; it lasts ${formatSpan(lifeMs)}\n`);
      terminal.out(`${token}\n`);
    }
    return;
  }
  const url = `http://${address}#${passes.issueCode()}`;
  if (session.asJson) terminal.json({ url });
  else {
    terminal.err(
      "Open this in your browser; it works once, for ten minutes, while `haft serve --bridge` runs\n",
    );
    terminal.out(`${url}\n`);
  }
}
