import { Argument, type Command } from "commander";
import type { Session } from "../session.ts";

/** For completion scripts: one name a line, nothing else, as fast as can be. */
export function defineNames(command: Command, session: Session): void {
  command.addArgument(new Argument("<kind>", "which names").choices(["tools"])).action(async () => {
    const app = await session.openApp();
    const names = app.registry.list().map((tool) => tool.name);
    if (session.asJson) session.terminal.json(names);
    else session.terminal.out(names.map((name) => `${name}\n`).join(""));
  });
}
