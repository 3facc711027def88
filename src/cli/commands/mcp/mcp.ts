import type { Command } from "commander";
import type { Expose } from "../../../app/index.ts";
import { nearestNames } from "../../../base/index.ts";
import { checkClient } from "../../clients/name.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import { findNoProject } from "../../no-project.ts";
import { agentOption, checkAgent } from "../../options/agent.ts";
import { exposeOption } from "../../options/expose.ts";
import { goalOption } from "../../options/goal.ts";
import { modeOverride } from "../../options/mode.ts";
import { type Overrides, pickOverrides } from "../../options/overrides.ts";
import { profileOverride } from "../../options/profile.ts";
import type { Session } from "../../session.ts";
import { tuneHeap } from "../../tune-heap.ts";
import { addMcpCommands } from "./commands.ts";

interface McpOptions extends Overrides {
  readonly expose?: Expose;
  readonly client?: string;
  readonly goal?: string;
}

export function defineMcp(command: Command, session: Session): void {
  addMcpCommands(command, session);
  command
    .addOption(profileOverride())
    .addOption(modeOverride())
    .addOption(agentOption("the agent that calls: its lists of tools bind, and no others are shown"))
    .addOption(exposeOption())
    .addOption(goalOption())
    .option("--client <name>", "one of serve.clients in the configuration, which says what it is shown")
    .allowExcessArguments()
    .action(async (options: McpOptions) => {
      refuseUnknown(command);
      // Made before the tools are, so that none of them ever shows it.
      const home = await session.home();
      home.stateKey();
      const noProject = findNoProject(session, home, "mcp");
      const [app, { createAppServer, serveStdio }] = await Promise.all([
        session.openApp({
          ...pickOverrides(options),
          sources: "follow",
          ...(noProject !== undefined && { folder: noProject.folder }),
        }),
        import("../../../server/mcp/index.ts"),
      ]);
      session.warn([...(noProject === undefined ? [] : [noProject.why]), ...app.loaded.warnings]);
      checkClient(app, options.client);
      const view = await app.viewForGoal(options.goal, { name: options.client, expose: options.expose });
      if (view.selected !== undefined) {
        const { describeSelection } = await import("../../text/goal.ts");
        const text = describeSelection(view.selected, app.loaded.config);
        session.terminal.err(`The list has ${session.terminal.foreignError(text)}\n`);
      }
      const place = options.agent === undefined ? `serve.clients.${options.client}.agent` : undefined;
      await checkAgent(app, view.bounds.agentId, place);
      const server = createAppServer(app, view, {
        version: session.version,
        onError: (error) => session.note(error),
        noProject: noProject?.why,
      });
      tuneHeap();
      const connection = serveStdio(server);
      app.background.start([view.bounds]);
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
    "\nStandard output carries the protocol and nothing else. It ends when its input ends.\nStarted without --folder in the root, the home folder or the system's, it works in no folder, and says so.",
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
