import { Argument, type Command } from "commander";
import type { Session } from "../session.ts";

/** Prints names for completion scripts: one a line, nothing else, as fast as can be. */
export function defineNames(command: Command, session: Session): void {
  command
    .addArgument(new Argument("<kind>", "which names").choices(Object.keys(listers)))
    .action(async (kind: keyof typeof listers) => {
      const names = await listers[kind](session);
      if (session.asJson) session.terminal.json(names);
      else session.terminal.out(names.map((name) => `${name}\n`).join(""));
    });
}

async function toolNames(session: Session): Promise<readonly string[]> {
  const app = await session.openApp();
  return app.registry.list().map((tool) => tool.name);
}

/** A shell expands what it is offered: a name that is more than a word could be a command. */
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

async function serverNames(session: Session): Promise<readonly string[]> {
  const { configuredServers } = await import("../../app/index.ts");
  const { servers } = await configuredServers(await session.home(), session.folder());
  return [...new Set(servers.map(({ server }) => server.name))].filter((name) => plainWord.test(name));
}

/** Maximum number of tasks that completion offers. */
const mostTasks = 500;

async function taskNames(session: Session): Promise<readonly string[]> {
  const app = await session.openApp();
  const { tasks } = await app.store();
  const page = await tasks.list({ scope: app.context.scope ?? "local", limit: mostTasks });
  return page.tasks.map(({ id }) => id);
}

const listers = { tools: toolNames, servers: serverNames, tasks: taskNames } as const;
