import type { Command } from "commander";
import type { ReplayedCall } from "../../../app/index.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { Session } from "../../session.ts";

interface ReplayCommandOptions {
  readonly all?: boolean;
}

export function defineReplay(command: Command, session: Session): void {
  command
    .argument("<id>", "of a call, a task or a run, as `haft audit` shows it")
    .option("--all", "go on after the first difference")
    .action((id: string, options: ReplayCommandOptions) => replay(session, id, options));
  addExamples(command, [
    ["haft replay c_mfy3k2ab_x7k2p1", "one call: would it be decided the same, does it give the same?"],
    ["haft replay t_42", "all calls of a task, up to the first difference"],
    ["haft replay r_qcjhqzgmqctqgz88 --all", "all calls of one process of haft, and every difference"],
  ]);
  command.addHelpText(
    "after",
    "\nOf each call it looks whether the tool is there in the same version, whether its arguments are still valid\nand what rules say now. A call that is known to change nothing is run again, through the gate, and its result\ncompared; for any other the recorded result stands, and nothing is repeated. It leaves with 1 if something is\ndifferent.",
  );
}

async function replay(session: Session, id: string, { all = false }: ReplayCommandOptions): Promise<void> {
  const app = await session.openApp({ sources: "once" });
  session.warn(app.loaded.warnings);
  const { recordedCalls, replayCall, replayTask } = await import("../../../app/index.ts");
  const { renderReplayedCall, renderReplay } = await import("../../text/replay.ts");
  const { ledger } = await app.store();
  const { registry, executor, context } = app;
  const options = { registry, executor, context, ledger, signal: session.signal };
  const replayed: ReplayedCall[] = [];
  let complete = true;
  for await (const call of recordedCalls(id, options)) {
    if (!all && replayed.at(-1)?.outcome === "different") {
      complete = false;
      break;
    }
    const one = await replayCall(call, replayTask(id), options);
    replayed.push(one);
    if (!session.asJson) session.terminal.out(renderReplayedCall(one, session.terminal));
  }
  if (replayed.length === 0) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot replay "${id}": there is no call, task or run of that id; \`haft audit\` lists the calls`,
    );
  }
  const isSame = replayed.every(({ outcome }) => outcome !== "different");
  if (!isSame) session.exitCode = exitCodes.failed;
  if (session.asJson) session.terminal.json({ id, same: isSame, complete, calls: replayed });
  else session.terminal.out(renderReplay(replayed, complete));
}
