import type { Command } from "commander";
import { isRecord } from "../../base/index.ts";
import type { ToolResult } from "../../kernel/index.ts";
import { CallDisplay } from "../call-display.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Session } from "../session.ts";
import { approverFor } from "../terminal-approver.ts";

export function defineUndo(command: Command, session: Session): void {
  command
    .argument("<call>", "the id of the call, as `haft audit` lists it")
    .option("-y, --yes", "answer yes where putting a file back would ask, as outside the project folder")
    .action(async (callId: string, options: { readonly yes?: boolean }) => {
      const app = await session.openApp({ sources: "once" });
      session.warn(app.loaded.warnings);
      const { changes } = await app.store();
      if ((await changes.ofCall(app.context.scope ?? "local", callId)).length === 0) {
        throw new CliError(
          "CLI_NOT_FOUND",
          `Cannot undo "${callId}": no call of that name changed files, or it was undone already; \`haft audit\` lists the calls, \`haft memory undo\` takes back a change of memory`,
        );
      }
      const result = await app.executor.run(
        "undo_changes",
        { call_id: callId },
        {
          ...app.context,
          origin: { channel: "cli" },
          signal: session.signal,
          ...(await approverFor(session, options.yes === true)),
        },
      );
      if (session.asJson) session.terminal.json(result);
      else show(session, result);
      session.exitCode = result.success ? exitCodes.ok : exitCodeOf(result.code);
    });
  addExamples(command, [["haft undo c_mfy3k2ab_x7k2p1", "the files are as they were before that call"]]);
  command.addHelpText(
    "after",
    "\nAll files are put back, or none: where one was changed again since, it is named and nothing happens.\nA command (`bash`) and a script are undone as a whole. What a command changed in .git, node_modules and other\nderived folders is not kept. An undo is a call too, and can be undone.",
  );
}

function show(session: Session, result: ToolResult): void {
  const { terminal } = session;
  const restored = result.success && isRecord(result.result) ? result.result["restored"] : undefined;
  if (!Array.isArray(restored)) new CallDisplay(terminal).finish(result);
  else terminal.out(restored.map((path) => `put back ${terminal.foreign(String(path))}\n`).join(""));
  const alongside = result.success && isRecord(result.result) ? result.result["alongside"] : undefined;
  if (Array.isArray(alongside))
    terminal.out(`with what ran there at the same time: ${terminal.foreign(alongside.join(", "))}\n`);
}
