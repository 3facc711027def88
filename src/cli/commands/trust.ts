import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Home } from "../../app/index.ts";
import { codeOf, messageOf, showInvisible } from "../../base/index.ts";
import { confirm } from "../confirm.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { requireOwner } from "../owner-only.ts";
import type { Session } from "../session.ts";

export function defineTrust(command: Command, session: Session): void {
  command
    .argument("[folder]", "the project folder (default: this one)")
    .option("-y, --yes", "do not ask")
    .action(async (folder: string | undefined, options: { readonly yes?: boolean }) => {
      await trust(session, session.folder(folder), options.yes === true);
    });
  addExamples(command, [["haft trust", "see what the files here would allow, then say yes or no"]]);
  command.addHelpText(
    "after",
    "\nThe files are haft.config.yml, space.manifest.json, and what is in agent/: tools, hooks, extensions.\nA configuration you do not trust can only forbid; the other files do nothing.\nOnce a file changes, it must be trusted again. Those in haft's own folder are yours, and need no yes.",
  );
}

/** A file, what it would let happen, and whether that was said yes to before. */
interface Opening {
  readonly path: string;
  readonly text: string;
  readonly kind: string;
  readonly opens: readonly string[];
  readonly trustedBefore: boolean;
}

async function trust(session: Session, folder: string, yes: boolean): Promise<void> {
  const { terminal } = session;
  const home = await session.home();
  const found = await findFiles(folder, home);
  const open = found.filter(({ trustedBefore }) => !trustedBefore);
  if (!session.asJson) for (const file of open) terminal.out(describe(file));
  if (open.length > 0) {
    await requireOwner(session, "trust files");
    const what = open.length === 1 ? `"${open[0]?.path}"` : `${open.length} files`;
    const message = open.length === 1 ? "Trust this file?" : `Trust these ${open.length} files?`;
    await confirm(session, { message, action: `trust ${what}`, yes });
    home.trustAll(open);
  }
  if (session.asJson) {
    const files = found.map(({ path, kind, opens, trustedBefore }) => ({
      file: path,
      kind,
      opens,
      trustedBefore,
    }));
    terminal.json({ folder, files, trusted: true });
    return;
  }
  for (const { path, trustedBefore } of found)
    terminal.out(
      `${terminal.foreign(path)} ${trustedBefore ? "was trusted already" : "is trusted now, as it is"}\n`,
    );
}

function describe({ path, kind, opens }: Opening): string {
  const shown = opens.map((line) => `  ${showInvisible(line).replaceAll("\n", "\n    ")}\n`).join("");
  const file = showInvisible(path);
  if (opens.length === 0) return `${file} only forbids; it opens nothing\n`;
  return `${file}${kind === "configuration" ? "" : ` (${kind})`} would\n${shown}`;
}

async function findFiles(folder: string, home: Home): Promise<readonly Opening[]> {
  const { readProjectFiles } = await import("../../app/index.ts");
  const files = (await readProjectFiles(folder)).map(
    (file): Opening => ({ ...file, trustedBefore: home.trusts(file.path, file.text) }),
  );
  const config = await readConfig(folder, home);
  const found = config === undefined ? files : [config, ...files];
  if (found.length > 0) return found;
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot find anything to trust in "${folder}": there is no haft.config.yml, no space.manifest.json and nothing in agent/; name a folder that has one, or write one with \`haft init\``,
  );
}

async function readConfig(folder: string, home: Home): Promise<Opening | undefined> {
  const [{ configFileName, parseConfig }, { describeOpenings }] = await Promise.all([
    import("../../app/index.ts"),
    import("../config-openings.ts"),
  ]);
  const path = join(folder, configFileName);
  const text = readText(path);
  if (text === undefined) return undefined;
  // Variables stay as they are written: their values are nobody's business here.
  const config = await parseConfig(text, path, (name) => `\${${name}}`);
  const opens = describeOpenings(config);
  return { path, text, kind: "configuration", opens, trustedBefore: home.trusts(path, text) };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new CliError("CLI_NOT_FOUND", `Cannot read "${file}": ${messageOf(cause)}; make it readable`, {
      cause,
    });
  }
}
