import type { Command } from "commander";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import type { Session } from "../../session.ts";

export function defineTrace(command: Command, session: Session): void {
  command
    .argument("<id>", "a call, a run, or a session, whose newest run is meant")
    .action((id: string) => trace(session, id));
  addExamples(command, [
    ["haft trace c_mfy3k2ab_x7k2p1", "a call with all calls that it made, and what took how long"],
    ["haft trace r_4k2", "a run of the agent: its requests to models and its calls"],
    ["haft trace r_4k2 --json", "the same as a tree, with times in Unix ms"],
  ]);
  command.addHelpText(
    "after",
    "\nThe time of a call begins with its first check. A wait for a person or for its turn is a line below it.",
  );
}

async function trace(session: Session, id: string): Promise<void> {
  const app = await session.openApp({ sources: "none" });
  const { readTrace } = await import("../../../app/index.ts");
  const found = await readTrace(await app.store(), {
    scope: app.context.scope ?? "local",
    id,
    signal: session.signal,
  });
  if (found === undefined)
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot find a call, run or session "${id}"; \`haft audit\` and \`haft sessions\` list them`,
    );
  if (session.asJson) return session.terminal.json(found);
  const { renderTrace } = await import("../../calls/render-trace.ts");
  session.terminal.out(renderTrace(found, session.terminal, Date.now()));
}
