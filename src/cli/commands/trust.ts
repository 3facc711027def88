import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { Home } from "../../app/index.ts";
import { getErrorCode, getErrorMessage, showInvisible } from "../../base/index.ts";
import { confirm, showSubject } from "../asking/confirm.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";

export function defineTrust(command: Command, session: Session): void {
  command
    .argument("[folder]", "the project folder (default: this one)")
    .option("-y, --yes", "do not ask")
    .option("--as <name>", "let clients of haft serve work in the folder too, at /mcp/@NAME", toName)
    .option("--forget <name>", "take such a name away, and do nothing else")
    .action(async (named: string | undefined, options: TrustOptions) => {
      if (options.forget !== undefined) return forget(session, options.forget);
      const folder = session.folder(named);
      await trust(session, folder, options);
    });
  addExamples(command, [
    ["haft trust", "see what the files here would allow, then say yes or no"],
    ["haft trust ~/shop --as shop", "and let clients of haft serve work there, at /mcp/@shop"],
  ]);
  command.addHelpText(
    "after",
    "\nThe files are haft.config.yml, space.manifest.json, and what is in agent/: tools, hooks, extensions.\nA configuration you do not trust can only forbid; the other files do nothing.\nOnce a file changes, it must be trusted again. Those in haft's own folder are yours, and need no yes.",
  );
}

interface TrustOptions {
  readonly yes?: boolean;
  readonly as?: string;
  readonly forget?: string;
}

function toName(text: string): string {
  if (/^\w[\w.-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError("give 1 to 64 letters, digits or . _ -, the first no dot and no dash.");
}

async function nameProject(session: Session, folder: string, name: string, yes: boolean): Promise<void> {
  const { terminal } = session;
  const home = await session.home();
  const before = home.projects().get(name);
  if (before !== folder) {
    await requireOwner(session, "name a project");
    const stands = before === undefined ? "" : `; it stands for "${before}" now`;
    const message = `Let clients of haft serve work in "${folder}", at /mcp/@${name}${stands}?`;
    await confirm(session, { message, action: `name "${folder}"`, yes });
    home.nameProject(name, folder);
  }
  if (!session.asJson) terminal.out(`${terminal.foreign(folder)} is /mcp/@${name} of haft serve\n`);
}

async function forget(session: Session, name: string): Promise<void> {
  const home = await session.home();
  if (!home.projects().has(name)) {
    const names = [...home.projects().keys()].join(", ") || "none";
    throw new CliError("CLI_NOT_FOUND", `Cannot forget the project "${name}"; there are ${names}`);
  }
  home.nameProject(name, undefined);
  if (session.asJson) session.terminal.json({ forgotten: name });
  else session.terminal.out(`/mcp/@${name} is no project any more\n`);
}

/** A file, what it would let happen, and whether that was said yes to before. */
interface Opening {
  readonly path: string;
  readonly text: string;
  readonly kind: string;
  readonly opens: readonly string[];
  readonly trustedBefore: boolean;
}

async function trust(session: Session, folder: string, options: TrustOptions): Promise<void> {
  const { yes = false, as } = options;
  const { terminal } = session;
  const home = await session.home();
  const found = await findFiles(folder, home, as !== undefined);
  const open = found.filter(({ trustedBefore }) => !trustedBefore);
  showSubject(session, open.map(describe).join(""));
  if (open.length > 0) {
    await requireOwner(session, "trust files");
    const what = open.length === 1 ? `"${open[0]?.path}"` : `${open.length} files`;
    const message = open.length === 1 ? "Trust this file?" : `Trust these ${open.length} files?`;
    await confirm(session, { message, action: `trust ${what}`, yes });
    home.trustAll(open);
  }
  if (as !== undefined) await nameProject(session, folder, as, yes);
  if (session.asJson) {
    const files = found.map(({ path, kind, opens, trustedBefore }) => ({
      file: path,
      kind,
      opens,
      trustedBefore,
    }));
    terminal.json({ folder, files, trusted: true, ...(as !== undefined && { project: as }) });
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

async function findFiles(folder: string, home: Home, mayBeNone: boolean): Promise<readonly Opening[]> {
  const { readProjectFiles } = await import("../../app/index.ts");
  const files = (await readProjectFiles(folder)).map(
    (file): Opening => ({ ...file, trustedBefore: home.trusts(file.path, file.text) }),
  );
  const config = await readConfig(folder, home);
  const found = config === undefined ? files : [config, ...files];
  if (found.length > 0 || mayBeNone) return found;
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot find anything to trust in "${folder}": there is no haft.config.yml, no space.manifest.json and nothing in agent/; name a folder that has one, or write one with \`haft init\``,
  );
}

async function readConfig(folder: string, home: Home): Promise<Opening | undefined> {
  const [{ configFileName, parseConfig }, { describeOpenings }] = await Promise.all([
    import("../../app/index.ts"),
    import("../files/config-openings.ts"),
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
    if (getErrorCode(cause) === "ENOENT") return undefined;
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot read "${file}": ${getErrorMessage(cause)}; make it readable`,
      {
        cause,
      },
    );
  }
}
