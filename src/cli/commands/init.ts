import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Profile } from "../../app/index.ts";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { confirm } from "../asking/confirm.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { profileOption } from "../options/profile.ts";
import type { Session } from "../session.ts";

interface InitOptions {
  readonly yes?: boolean;
  readonly profile: Profile;
}

export function defineInit(command: Command, session: Session): void {
  command
    .option("-y, --yes", "do not ask")
    .addOption(profileOption().default("coding"))
    .action(async (options: InitOptions) => init(session, options));
  addExamples(command, [["haft init", "write the file, trust it, and say what to do next"]]);
  command.addHelpText("after", "\nA file that is there already, and not empty, is never changed.");
}

async function init(session: Session, options: InitOptions): Promise<void> {
  const [{ configFileName }, home] = await Promise.all([import("../../app/index.ts"), session.home()]);
  const folder = session.folder();
  const file = join(folder, configFileName);
  if (existsSync(file) && !isEmptyFile(file)) throw thereAlready(file);
  await requireOwner(session, "write a configuration and trust it");
  await confirm(session, {
    about: `${folder}: a new ${configFileName}, and what it allows is allowed`,
    message: "Write it and trust it?",
    action: `write "${file}"`,
    yes: options.yes === true,
  });
  const { renderConfigTemplate } = await import("../files/config-template.ts");
  const text = renderConfigTemplate({ schema: schemaFor(folder, session.root), profile: options.profile });
  writeNew(file, text);
  home.trust(file, text);
  if (session.asJson) session.terminal.json({ file, trusted: true });
  else {
    session.terminal.out(
      `Wrote ${file}\n\nNext:\n` +
        "  edit the file          every part has a comment\n" +
        "  haft trust             say yes to what it allows, each time you have changed it\n" +
        "  haft doctor            check it\n" +
        "  haft serve             offer the tools to your MCP client\n",
    );
  }
}

/** The path of the schema for an editor: in the project if haft is installed there, else beside this haft. */
function schemaFor(folder: string, root: string): string {
  const local = "node_modules/haft/haft.config.schema.json";
  if (existsSync(join(folder, local))) return `./${local}`;
  return join(root, "haft.config.schema.json");
}

/** What holds the file's place while a command runs in the sandbox; killed meanwhile, haft leaves it there. */
function isEmptyFile(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0;
}

/** An empty file is written into as it is: a command that still runs has it in its sandbox, where it can't be made anew. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: isEmptyFile(file) ? "r+" : "wx" });
  } catch (cause) {
    if (getErrorCode(cause) === "EEXIST") throw thereAlready(file);
    throw new CliError(
      "CLI_FILE",
      `Cannot write "${file}": ${getErrorMessage(cause)}; make the folder writable`,
      {
        cause,
      },
    );
  }
}

function thereAlready(file: string): CliError {
  return new CliError(
    "CLI_FILE_EXISTS",
    `Cannot write "${file}": there is one already; edit it, and run \`haft trust\` if it came from elsewhere`,
  );
}
