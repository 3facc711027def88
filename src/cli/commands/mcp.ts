import type { Command } from "commander";
import { addExamples } from "../examples.ts";
import { modeOverride } from "../mode-option.ts";
import { type Overrides, overridesOf } from "../overrides.ts";
import { profileOverride } from "../profile-option.ts";
import type { Session } from "../session.ts";

export function defineMcp(command: Command, session: Session): void {
  command
    .addOption(profileOverride())
    .addOption(modeOverride())
    .action(async (options: Overrides) => {
      // Made before the tools are, so that none of them ever shows it.
      (await session.home()).stateKey();
      const [app, { createOffer }, { serveStdio }] = await Promise.all([
        session.openApp(overridesOf(options)),
        import("../offer.ts"),
        import("../../mcp/index.ts"),
      ]);
      session.warn(app.loaded.warnings);
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
  ]);
  command.addHelpText(
    "after",
    "\nStandard output carries the protocol and nothing else. It ends when its input ends.",
  );
}
