import { Argument, type Command } from "commander";
import { isRecord, showInvisible } from "../../base/index.ts";
import type { Serving } from "../../server/running/index.ts";
import { refuseAgents, refuseTools } from "../asking/owner-only.ts";
import { chooseServing } from "../choose-serving.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { toPort } from "../options/port.ts";
import type { Session } from "../session.ts";
import { toLocalTime } from "../text/local-time.ts";

interface ConsoleOptions {
  readonly print?: boolean;
  readonly port?: number;
}

export function defineConsole(command: Command, session: Session): void {
  command
    .addArgument(
      new Argument(
        "[action]",
        "sessions lists the tabs that have the console open (default: none, open it in your browser)",
      ).choices(["sessions"]),
    )
    .addArgument(new Argument("[change]", "with sessions: end ends the session of one tab").choices(["end"]))
    .argument("[session]", "with sessions end: the id of the session")
    .option("--print", "print the link, and open nothing")
    .option("--port <n>", "port of the haft serve, if several run (default: the one for this folder)", toPort)
    .action(
      async (
        action: "sessions" | undefined,
        change: "end" | undefined,
        id: string | undefined,
        options: ConsoleOptions,
      ) => {
        if (action === undefined) await open(session, options);
        else if (change === undefined) await list(session, options);
        else await end(session, id, options);
      },
    );
  addExamples(command, [
    ["haft console", "opens the console of the running haft serve in your browser"],
    ["haft console --print", "the link alone: it works once, within a minute"],
    ["haft console sessions", "the tabs that have it open"],
    ["haft console sessions end cs_4be1f0a2c9d3", "ends the session of that tab at once"],
  ]);
  command.addHelpText(
    "after",
    "\nIt needs a running `haft serve`. The session of a tab ends after 12 hours, or after one hour without use.\nIf you have set a PIN (`haft approvals pin`), the page asks for it.",
  );
}

async function open(session: Session, options: ConsoleOptions): Promise<void> {
  await refuseAgents("open the console");
  const { url, endsAt } = await ask(session, options, { method: "POST", path: "" }, "open the console");
  if (typeof url !== "string" || typeof endsAt !== "number") throw noAnswer("open the console");
  const { terminal } = session;
  if (session.asJson) return terminal.json({ url, endsAt });
  const { openInBrowser } = await import("../../host/index.ts");
  const isOpen = options.print !== true && (await openInBrowser(new URL(url)));
  terminal.err(
    isOpen
      ? "The console opens in your browser; if it does not, this link works once, within a minute\n"
      : "Open this in your browser; it works once, within a minute\n",
  );
  terminal.out(`${url}\n`);
}

async function list(session: Session, options: ConsoleOptions): Promise<void> {
  const { sessions } = await ask(
    session,
    options,
    { method: "GET", path: "" },
    "list the console's sessions",
  );
  if (!Array.isArray(sessions)) throw noAnswer("list the console's sessions");
  const { terminal } = session;
  if (session.asJson) return terminal.json(sessions);
  if (sessions.length === 0) return terminal.err("No tab has the console open; `haft console` opens it\n");
  const { renderTable } = await import("../text/table.ts");
  const rows = sessions
    .filter(isRecord)
    .map(({ id, startedAt, usedAt, browser }) => [
      terminal.foreign(String(id)),
      toLocalTime(Number(startedAt)),
      toLocalTime(Number(usedAt)),
      showInvisible(String(browser)),
    ]);
  const titles = [{ title: "Session", whole: true }, { title: "Since" }, { title: "Used" }];
  terminal.out(
    renderTable([...titles, { title: "Browser", overflow: "cut" }], rows, {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
    }),
  );
}

async function end(session: Session, id: string | undefined, options: ConsoleOptions): Promise<void> {
  await refuseTools("end a session of the console");
  if (id === undefined) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot end a session of the console: name it, as in `haft console sessions end ID`; `haft console sessions` lists them",
    );
  }
  const request = { method: "DELETE", path: `/${encodeURIComponent(id)}` } as const;
  const { ended } = await ask(session, options, request, "end a session of the console");
  if (ended !== true) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot end the session "${id}": there is none of that id, or it has ended; \`haft console sessions\` lists them`,
    );
  }
  if (session.asJson) session.terminal.json({ ended: id });
  else session.terminal.out(`${id} has ended\n`);
}

/** @throws {CliError} CLI_NOT_FOUND if no server runs, or its console is off */
async function ask(
  session: Session,
  { port }: ConsoleOptions,
  { method, path }: { readonly method: "GET" | "POST" | "DELETE"; readonly path: string },
  wanted: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { askAsOwner, listServing, ownerConsolePath } = await import("../../server/running/index.ts");
  const home = await session.home();
  const running = await listServing(home);
  const none =
    "no haft serve runs; start one with `haft serve`, or in the background with `haft serve --detach`";
  const serving: Serving = chooseServing(session, running, { port, wanted, none });
  const answer = await askAsOwner(home, serving, { method, path: `${ownerConsolePath}${path}` });
  if (answer === undefined) throw noAnswer(wanted);
  if (answer["off"] !== true) return answer;
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot ${wanted}: ${serving.url} is open to the network, and the console is served on this machine alone; start \`haft serve\` without --host`,
  );
}

function noAnswer(wanted: string): CliError {
  return new CliError(
    "CLI_NOT_FOUND",
    `Cannot ${wanted}: the haft serve that runs does not answer, or is an older one; start it again`,
  );
}
