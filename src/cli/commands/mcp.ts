import type { Command } from "commander";
import { nearestNames } from "../../base/index.ts";
import { agentOption, checkAgent } from "../agent-option.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { modeOverride } from "../mode-option.ts";
import { type Overrides, overridesOf } from "../overrides.ts";
import { profileOverride } from "../profile-option.ts";
import type { Session } from "../session.ts";
import { addMcpCommands } from "./mcp-commands.ts";

export function defineMcp(command: Command, session: Session): void {
  addMcpCommands(command, session);
  command
    .addOption(profileOverride())
    .addOption(modeOverride())
    .addOption(agentOption("the agent that calls: its lists of tools bind, and no others are shown"))
    .allowExcessArguments()
    .action(async (options: Overrides) => {
      refuseUnknown(command);
      // Made before the tools are, so that none of them ever shows it.
      (await session.home()).stateKey();
      const [app, { createOffer }, { serveStdio }] = await Promise.all([
        session.openApp({ ...overridesOf(options), sources: "follow" }),
        import("../offer.ts"),
        import("../../mcp/index.ts"),
      ]);
      session.warn(app.loaded.warnings);
      await checkAgent(app, options.agent);
      const server = createOffer(app, session);
      const connection = serveStdio(server);
      session.signal.addEventListener("abort", () => connection.close(), { once: true });
      await connection.closed;
      server.close();
    });
  addExamples(command, [
    [
      "haft mcp --folder ~/project",
      "what a client's configuration runs; `haft serve --print-config` writes it",
    ],
    ["haft mcp import", "take over the MCP servers that your other clients have"],
    ["haft mcp add --help", "how to let a server in; each command has such a help"],
  ]);
  command.addHelpText(
    "after",
    "\nStandard output carries the protocol and nothing else. It ends when its input ends.",
  );
}

/** A word that is no command would start the server, and its user would wait. */
function refuseUnknown({ args: [word], commands }: Command): void {
  if (word === undefined) return;
  const names = commands.map((sub) => sub.name());
  const nearest = nearestNames(word, names);
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : `there are ${names.join(", ")}`;
  throw new CliError("CLI_USAGE", `Cannot run "haft mcp ${word}": there is no such command; ${hint}`);
}
