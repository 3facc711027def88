import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { messageOf, showInvisible } from "../../base/index.ts";
import { confirm } from "../confirm.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";

export function defineTrust(command: Command, session: Session): void {
  command
    .argument("[folder]", "the folder of the haft.config.yml (default: the project folder)")
    .option("-y, --yes", "do not ask")
    .action(async (folder: string | undefined, options: { readonly yes?: boolean }) => {
      await trust(session, session.folder(folder), options.yes === true);
    });
  addExamples(command, [["haft trust", "see what the file here would allow, then say yes or no"]]);
  command.addHelpText(
    "after",
    "\nA file you do not trust can only forbid: what it would allow is passed over.\nOnce it changes, it must be trusted again.",
  );
}

async function trust(session: Session, folder: string, yes: boolean): Promise<void> {
  const [{ configFileName, parseConfig }, { describeOpenings }, home] = await Promise.all([
    import("../../app/index.ts"),
    import("../config-openings.ts"),
    session.home(),
  ]);
  const { terminal } = session;
  const file = join(folder, configFileName);
  // Variables stay as they are written: their values are nobody's business here.
  const text = readConfig(file);
  const config = await parseConfig(text, file, (name) => `\${${name}}`);
  const openings = describeOpenings(config);
  const before = home.trusts(file, text);
  if (!session.asJson) {
    const shown = openings.map((line) => `  ${showInvisible(line).replaceAll("\n", " ")}\n`).join("");
    terminal.out(
      openings.length === 0 ? `${file} only forbids; it opens nothing\n` : `${file} would\n${shown}`,
    );
  }
  if (!before) {
    await confirm(session, { message: "Trust this file?", action: `trust "${file}"`, yes });
    home.trust(file, text);
  }
  if (session.asJson) terminal.json({ folder, file, opens: openings, trustedBefore: before, trusted: true });
  else terminal.out(`${file} ${before ? "was trusted already" : "is trusted now, as it is"}\n`);
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot read "${file}": ${messageOf(cause)}; name a folder with a haft.config.yml, or write one with \`haft init\``,
      { cause },
    );
  }
}
