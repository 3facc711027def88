import { startDetached } from "../host/index.ts";
import { endServing, listServing, type Serving, serveLog } from "../server/running/index.ts";
import { chooseServing } from "./choose-serving.ts";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { findNoProject, whyNoProject } from "./no-project.ts";
import type { Session } from "./session.ts";
import { toLocalTime } from "./text/local-time.ts";
import { renderTable } from "./text/table.ts";

/** `haft serve --detach`: starts the server in the background, and leaves once it listens. */
export async function detach(session: Session): Promise<void> {
  const home = await session.home();
  const folder = session.folder();
  const noProject = findNoProject(session, home, "serve");
  if (noProject !== undefined) session.warn([noProject.why]);
  const logFile = serveLog(home);
  const pid = await startDetached({
    program: serveProgram(session, home.folder),
    cwd: folder,
    logFile,
    signal: session.signal,
  });
  const serving = (await listServing(home)).find((one) => one.pid === pid);
  if (serving === undefined)
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot reach the server that was started as process ${pid}; \`haft serve status\` asks it again, "${logFile}" has what it said`,
    );
  if (session.asJson) session.terminal.json({ ...serving, logFile });
  else
    session.terminal.out(
      `haft serves ${serving.url} for ${serving.folder} (process ${pid})\nIt logs to ${logFile}; \`haft serve stop\` stops it\n`,
    );
}

/** The program and arguments that start this very server, from whatever folder. */
export function serveProgram(session: Session, home: string): readonly [string, ...string[]] {
  const [program, ...args] = session.program;
  return [
    program,
    ...args,
    "serve",
    ...folderOption(session),
    ...(session.namesHome ? ["--home", home] : []),
    ...withoutOptions(
      session.args,
      new Set(["--detach"]),
      new Set(["--print-service", "--folder", "--home"]),
    ),
  ];
}

/** A folder that is no project is not named: the server that starts there says so, as it does without these arguments. */
function folderOption(session: Session): readonly string[] {
  const folder = session.folder();
  const isNamed = session.common.folder !== undefined || whyNoProject(folder) === undefined;
  return isNamed ? ["--folder", folder] : [];
}

function withoutOptions(
  args: readonly string[],
  flags: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): readonly string[] {
  return args.filter((arg, at) => {
    const before = args[at - 1];
    if (before !== undefined && valued.has(before)) return false;
    return !flags.has(arg) && !valued.has(arg.split("=", 1)[0] as string);
  });
}

/** `haft serve status`: the servers of this home folder that answer; leaves with 3 where there are none. */
export async function showServing(session: Session): Promise<void> {
  const running = await listServing(await session.home());
  if (running.length === 0) session.exitCode = exitCodes.notFound;
  if (session.asJson) session.terminal.json(running);
  else if (running.length === 0)
    session.terminal.err("No haft serve runs; `haft serve --detach` starts one\n");
  else session.terminal.out(renderServing(running, session));
}

function renderServing(running: readonly Serving[], { terminal }: Session): string {
  return renderTable(
    [{ title: "Process" }, { title: "Since" }, { title: "Address" }, { title: "Folder", overflow: "wrap" }],
    running.map(({ pid, startedAt, url, folder }) => [
      String(pid),
      toLocalTime(startedAt),
      url,
      terminal.foreign(folder),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

/** `haft serve stop`: ends the server on the port that was typed, else the one for this folder, else the only one. */
export async function stopServing(session: Session, port: number | undefined): Promise<void> {
  const running = await listServing(await session.home());
  const serving = chooseServing(session, running, { port, wanted: "stop a haft serve" });
  if (!(await endServing(serving, session.signal)))
    throw new CliError(
      "CLI_UNCONFIRMED",
      `Cannot stop process ${serving.pid}: it has not ended within 15 s; end it yourself`,
    );
  if (session.asJson) session.terminal.json({ stopped: serving });
  else session.terminal.out(`Stopped ${serving.url} (process ${serving.pid})\n`);
}
