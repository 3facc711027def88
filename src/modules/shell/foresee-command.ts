import { isWorkingFolder, keepsPromises, mayFindProgram, ProgramSearch } from "../../host/index.ts";
import type { CallContext, Effect } from "../../kernel/index.ts";
import type { CommandPlace } from "./command/syntax/place.ts";
import { asAsked, confine, connectEffects, isolateIn, nameTemporary } from "./confinement.ts";
import type { CommandRun } from "./run-command.ts";
import type { ShellServices } from "./services.ts";
import { markUndoable } from "./undoable-changes.ts";

export type ForeseenRun = Pick<CommandRun, "cwd" | "hosts" | "unconfined"> & { readonly line: string };

/**
 * All that a command line would do: what it runs and touches, the hosts it is to reach, the folder it starts in. To start
 * in the call's own working folder reads nothing of it: where that is not an allowed folder, a command sees of it what is.
 */
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
  const session = nameTemporary(context);
  const temporary = { isOwn: (file: string) => processes.isOwnTemporary(session, file) };
  const place: CommandPlace = {
    workspace,
    context,
    cwd: path,
    hasProgram,
    programs,
    ...(keepsPromises(report?.level, ["private temporary folders"]) && { temporary }),
  };
  const analysis = analyseCommand(line);
  const told = await commandEffects(analysis, place);
  const isBounded = !unconfined && hosts.length === 0;
  const effects = isBounded ? await markUndoable(told, { analysis, place, undo: services.undo }) : told;
  const folder: Effect = { kind: "read", target: path, within };
  return [
    ...confine(effects, unconfined ? asAsked : isolateIn(path, report, effects)).map((effect) =>
      effect.kind === "run" ? { ...effect, folder: path } : effect,
    ),
    ...(await connectEffects(hosts, services, context)),
    ...(within || !isWorkingFolder(path, context) ? [folder] : []),
  ];
}
