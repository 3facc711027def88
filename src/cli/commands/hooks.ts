import { Argument, type Command } from "commander";
import { type ListedHook, listHooks } from "../../app/views/index.ts";
import { nearestNames } from "../../base/index.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";

export function defineHooks(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[action]", "what to do").choices(["list", "show"]).default("list"))
    .argument("[hook]", "the id of one hook, for show")
    .action(async (action: "list" | "show", id: string | undefined) => {
      const hooks = await readHooks(session);
      if (action === "show") await show(session, hooks, id);
      else await list(session, hooks);
    });
  addExamples(command, [
    ["haft hooks", "which there are, how often each ran, said no and failed"],
    ["haft hooks show guard", "what one runs, and why it failed last"],
  ]);
  command.addHelpText(
    "after",
    "\nHooks are commands that are asked before calls (pre_tool) and after them (post_tool). They stand in the\nconfiguration as `hooks`, or as Markdown files in agent/hooks; docs/guide/hooks.md has the contract.",
  );
}

async function readHooks(session: Session): Promise<readonly ListedHook[]> {
  const app = await session.openApp({ sources: "once" });
  session.warn(app.loaded.warnings);
  session.warn(
    (app.sources.hookSource?.problems() ?? []).map(({ where, line, message }) =>
      message.includes(where) ? message : `${line === undefined ? where : `${where}:${line}`}: ${message}`,
    ),
  );
  return listHooks(app);
}

async function list(session: Session, hooks: readonly ListedHook[]): Promise<void> {
  if (session.asJson) session.terminal.json(hooks);
  else if (hooks.length === 0)
    session.terminal.err("There are no hooks; docs/guide/hooks.md has a first one\n");
  else {
    const { renderHookList } = await import("../text/hook.ts");
    session.terminal.out(renderHookList(hooks, session.terminal));
  }
}

async function show(session: Session, hooks: readonly ListedHook[], id: string | undefined): Promise<void> {
  const names = hooks.map((hook) => hook.id);
  if (id === undefined)
    throw new CliError(
      "CLI_USAGE",
      names.length === 0
        ? "Cannot show a hook: there are none; docs/guide/hooks.md has a first one"
        : `Cannot show a hook: name one of ${names.join(", ")}`,
    );
  const hook = hooks.find((one) => one.id === id);
  if (hook === undefined) {
    const near = nearestNames(id, names).map((name) => `"${name}"`);
    const hint = near.length > 0 ? `did you mean ${near.join(" or ")}` : "`haft hooks` lists them";
    throw new CliError("CLI_NOT_FOUND", `Cannot show the hook "${id}": there is none of that name; ${hint}`);
  }
  if (session.asJson) session.terminal.json(hook);
  else {
    const { renderHook } = await import("../text/hook.ts");
    session.terminal.out(renderHook(hook, session.terminal));
  }
}
