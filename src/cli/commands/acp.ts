import type { Command } from "commander";
import type { App } from "../../app/index.ts";
import { defaultAgent } from "../../kernel/index.ts";
import type { AcpAsking, AcpChoice } from "../../server/acp/index.ts";
import { listChoices } from "../asking/approval-choice.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { isStartedByAgent } from "../asking/terminal-approver.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { whyNoProject } from "../no-project.ts";
import { agentOption } from "../options/agent.ts";
import { modeOverride } from "../options/mode.ts";
import { type Overrides, pickOverrides } from "../options/overrides.ts";
import { profileOverride } from "../options/profile.ts";
import type { Session } from "../session.ts";
import { describeStanding, renderApproval } from "../text/approval.ts";

interface AcpCommandOptions extends Overrides {
  readonly agent?: string;
  readonly model?: string;
}

/** Maximum number of folders that are open at once. */
const mostFolders = 8;
const questionWidth = 100;

export function defineAcp(command: Command, session: Session): void {
  command
    .addOption(agentOption("the agent of new sessions", defaultAgent))
    .option("--model <name>", "the model to ask, by its name in the configuration (default: agent.model)")
    .addOption(profileOverride())
    .addOption(modeOverride())
    .action(async (options: AcpCommandOptions) => {
      const [{ serveAcp }, { openStandardInput }, asking] = await Promise.all([
        import("../../server/acp/index.ts"),
        import("../../host/index.ts"),
        findAsking(session),
      ]);
      const folders = new Folders(session, options);
      const input = openStandardInput();
      const end = () => input.destroy();
      session.signal.addEventListener("abort", end, { once: true });
      await serveAcp(
        { input, output: process.stdout },
        {
          version: session.version,
          open: (folder) => folders.open(folder),
          onNote: (text) => session.warn([text]),
          ...(asking !== undefined && { asking }),
          ...(options.agent !== undefined && { agentId: options.agent }),
          ...(options.model !== undefined && { model: options.model }),
        },
      );
    });
  addExamples(command, [
    ["haft acp", "what an editor starts: in its settings, the command is haft and the argument is acp"],
    ["haft acp --agent architect --model fast", "with the agent and the model of new sessions"],
  ]);
  command.addHelpText(
    "after",
    "\nStandard output carries the protocol and nothing else. It ends when its input ends, and interrupts what runs.\nEach session works in the folder that the editor names. Questions are asked in the editor, unless an agent\nstarted this or a PIN is set: then they wait in `haft approvals`.\nThe editor's MCP servers are not started: `haft mcp add` lets servers in.",
  );
}

/** The installations of the folders that the editor's sessions work in. */
class Folders {
  readonly #session: Session;
  readonly #options: AcpCommandOptions;
  readonly #apps = new Map<string, Promise<App>>();

  constructor(session: Session, options: AcpCommandOptions) {
    this.#session = session;
    this.#options = options;
  }

  open(named: string): Promise<App> {
    const folder = this.#session.folder(named);
    const there = this.#apps.get(folder);
    if (there !== undefined) return there;
    const why = whyNoProject(folder);
    if (why !== undefined)
      throw new CliError(
        "CLI_USAGE",
        `Cannot work in ${folder}: it is no project (${why}); open a folder of one`,
      );
    if (this.#apps.size >= mostFolders)
      throw new CliError(
        "CLI_BUSY",
        `Cannot open ${folder}: ${mostFolders} folders are open already; start another haft acp`,
      );
    const opening = this.#open(folder);
    this.#apps.set(folder, opening);
    opening.catch(() => this.#apps.delete(folder));
    return opening;
  }

  async #open(folder: string): Promise<App> {
    const session = this.#session;
    const app = await session.openApp({ ...pickOverrides(this.#options), sources: "follow", folder });
    session.warn(app.loaded.warnings);
    app.background.start([app.context]);
    return app;
  }
}

/** Undefined if an agent could answer its own question, or if a yes needs the PIN, which an editor can't ask for. */
async function findAsking(session: Session): Promise<AcpAsking | undefined> {
  const [{ OwnerPin }, home] = await Promise.all([import("../../app/index.ts"), session.home()]);
  if (new OwnerPin(home).isSet || (await isStartedByAgent())) return undefined;
  const by = ownerIdentity();
  return {
    identity: by,
    listChoices: (approval) =>
      listChoices(approval, { by, while: "session" }).flatMap(({ key: id, label, answer }): AcpChoice[] => {
        if (typeof answer === "string") return [];
        if (!answer.approved) return [{ id, label, kind: "reject_once", answer }];
        return [{ id, label, kind: answer.remember === undefined ? "allow_once" : "allow_always", answer }];
      }),
    describe: (approval) =>
      renderApproval(approval, {
        width: questionWidth,
        paint: (_style, text) => text,
        standing: describeStanding(approval, Date.now()),
      }).trim(),
  };
}
