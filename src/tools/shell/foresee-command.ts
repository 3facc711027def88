import { mayFindProgram, ProgramSearch } from "../../host/index.ts";
import type { CallContext, Effect } from "../../kernel/index.ts";
import { asAsked, confine, connectEffects, isolateIn } from "./confinement.ts";
import type { CommandRun } from "./run-command.ts";
import type { ShellServices } from "./services.ts";
import { markUndoable } from "./undoable-changes.ts";

export type ForeseenRun = Pick<CommandRun, "cwd" | "hosts" | "unconfined"> & { readonly line: string };

/** All that a command line would do: what it runs and touches, the hosts it is to reach, the folder it starts in. */
export async function foreseeCommand(
  services: ShellServices,
  { line, cwd, hosts, unconfined }: ForeseenRun,
  context: CallContext,
): Promise<Effect[]> {
  const { processes, workspace, environment } = services;
  // Said before anybody is asked anything.
  const report = unconfined ? undefined : await processes.isolation();
  const { path, within } = workspace.locate(cwd, context);
  const { analyseCommand, commandEffects } = await import("./command/index.ts");
  const { scope = "", agentId, allowedPaths = [] } = context;
  const { PATH = "" } = environment.childEnvironment({ scope, agentId });
  const hasProgram = (name: string) => mayFindProgram(name, PATH);
  const programs = new ProgramSearch({ path: PATH, writable: [...allowedPaths, path] });
  const place = { workspace, context, cwd: path, hasProgram, programs };
  const analysis = analyseCommand(line);
  const told = await commandEffects(analysis, place);
  const isBounded = !unconfined && hosts.length === 0;
  const effects = isBounded ? await markUndoable(told, { analysis, place, undo: services.undo }) : told;
  return [
    ...confine(effects, unconfined ? asAsked : isolateIn(path, report, effects)),
    ...(await connectEffects(hosts, services, context)),
    { kind: "read", target: path, within },
  ];
}
