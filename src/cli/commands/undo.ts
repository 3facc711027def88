import type { Command } from "commander";
import { CallDisplay } from "../call-display.ts";
import { addExamples } from "../examples.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Session } from "../session.ts";

export function defineUndo(command: Command, session: Session): void {
  command
    .argument("<call>", "the id of the call, as `haft audit` lists it")
    .action(async (callId: string) => {
      const app = await session.openApp();
      session.warn(app.loaded.warnings);
      const result = await app.executor.run(
        "undo_changes",
        { call_id: callId },
        { ...app.context, origin: { channel: "cli" }, signal: session.signal },
      );
      if (session.asJson) session.terminal.json(result);
      else new CallDisplay(session.terminal).finish(result);
      session.exitCode = result.success ? exitCodes.ok : exitCodeOf(result.code);
    });
  addExamples(command, [["haft undo c_mfy3k2ab_x7k2p1", "the files are as they were before that call"]]);
  command.addHelpText("after", "\nA file that was changed again since is left alone, and named.");
}
