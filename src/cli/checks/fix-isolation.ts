import { checkSandbox, type Finding, failed } from "../../app/checks/index.ts";
import {
  type Argv,
  commandsToInstallBubblewrap,
  Processes,
  readVariable,
  type SandboxLevel,
} from "../../host/index.ts";
import { askYes } from "../asking/ask-yes.ts";
import type { Session } from "../session.ts";

/** What `haft doctor --fix` did about isolation. */
export interface IsolationFix {
  /** What installs bubblewrap here; empty where it is installed, or nothing is known that does. */
  readonly commands: readonly string[];
  /** What was found after the commands were run. Absent: they were not. */
  readonly finding?: Finding;
}

/** Offers to install bubblewrap, and does after a yes. Where nobody can be asked, it says what it would run. */
export async function fixIsolation(
  session: Session,
  atLeast: SandboxLevel | undefined,
): Promise<IsolationFix> {
  const { terminal } = session;
  const argvs = commandsToInstallBubblewrap();
  const commands = (argvs ?? []).map((argv) => argv.join(" "));
  const line = commands.join(" && ");
  if (argvs === undefined) {
    terminal.err("bubblewrap can't be installed by haft here: it knows no package manager of this machine\n");
  } else if (argvs.length === 0) {
    terminal.err("bubblewrap is installed already; there is nothing else that haft can mend by itself\n");
  } else if (!terminal.interactive || session.asJson) {
    terminal.err(`There is nobody to ask here. To install bubblewrap, run: ${line}\n`);
  } else {
    terminal.err(`To install bubblewrap, haft would run: ${line}\n`);
    const isWanted = await askYes(terminal, "Install bubblewrap?", { signal: session.signal });
    if (isWanted === true) return { commands, finding: await install(session, argvs, atLeast) };
  }
  return { commands };
}

async function install(
  session: Session,
  argvs: readonly Argv[],
  atLeast: SandboxLevel | undefined,
): Promise<Finding> {
  const { terminal, signal } = session;
  await using processes = new Processes({ from: "direct" });
  const environment = {
    PATH: readVariable("PATH") ?? "",
    HOME: readVariable("HOME") ?? "/",
    DEBIAN_FRONTEND: "noninteractive",
  };
  for (const argv of argvs) {
    const { exitCode } = await processes.run(argv, {
      cwd: "/",
      environment,
      signal,
      onOutput: (_name, text) => terminal.err(terminal.foreignError(text)),
    });
    if (exitCode !== 0)
      return failed(
        "isolation",
        `"${argv.join(" ")}" left with ${exitCode}`,
        "run it by hand, and see what it says",
      );
  }
  return checkSandbox(atLeast);
}
