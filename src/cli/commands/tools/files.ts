import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getErrorCode, getErrorMessage } from "../../../base/index.ts";
import type { CheckedExtensions } from "../../../sources/index.ts";
import { CliError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { checkToolFiles, findExtensionFolder, findToolFolder } from "../../files/tool-files.ts";
import type { Session } from "../../session.ts";

const inTypeScriptFile = /\.m?[jt]s$/;

/** `haft tools lint`: what is wrong with the files of tools. Only those in TypeScript are loaded. */
export async function lintTools(session: Session, named: readonly string[]): Promise<void> {
  const folder = session.folder();
  const home = await session.home();
  const [code, texts] = [true, false].map((want) =>
    named.filter((file) => inTypeScriptFile.test(file) === want),
  ) as [string[], string[]];
  const others =
    named.length > 0 && texts.length === 0 ? noFiles : await checkToolFiles(texts, { folder, home });
  const extensions = await checkCode(session, code, named.length > 0 && code.length === 0);
  const files = [...others.files, ...extensions.files];
  const problems = [...others.problems, ...extensions.problems];
  if (problems.some(({ level }) => level === "error")) session.exitCode = exitCodes.failed;
  if (session.asJson) {
    session.terminal.json({ files, problems });
    return;
  }
  const { renderProblems } = await import("../../text/tool-file.ts");
  session.terminal.out(renderProblems(problems, { files: files.length, folder }, session.terminal));
}

const noFiles: CheckedExtensions = { files: [], problems: [] };

async function checkCode(
  session: Session,
  named: readonly string[],
  isLeftOut: boolean,
): Promise<CheckedExtensions> {
  const folders = [session.folder(), (await session.home()).folder].map(findExtensionFolder);
  const isThere = named.length > 0 || folders.some((folder) => existsSync(folder));
  if (isLeftOut || !isThere) return noFiles;
  const app = await session.openApp();
  if (named.length === 0) return app.sources.checkExtensions();
  const paths = named.map((file) => resolve(file));
  const checked = await app.sources.checkExtensions(paths);
  const missing = paths.find((path) => !checked.files.includes(path));
  if (missing === undefined) return checked;
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot check "${missing}": it is no file of an extension; name one in agent/extensions/tools`,
  );
}

/** `haft tools new`: a first file that works. */
export async function newTool(
  session: Session,
  words: readonly string[],
  inTypeScript: boolean,
): Promise<void> {
  const [name = ""] = words;
  if (words.length !== 1 || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new CliError(
      "CLI_USAGE",
      'Cannot write a tool: give one name of letters, digits, "-" and "_", as in `haft tools new deploy`',
    );
  }
  const file = inTypeScript
    ? join(findExtensionFolder(session.folder()), "tools", `${name}.ts`)
    : join(findToolFolder(session.folder()), `${name}.md`);
  try {
    if (inTypeScript) {
      const { writeExtension } = await import("../../files/new-extension.ts");
      await writeExtension(file, name, session.root);
    } else {
      const { newToolText } = await import("../../../sources/index.ts");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, newToolText(name), { flag: "wx" });
    }
  } catch (cause) {
    if (getErrorCode(cause) === "EEXIST")
      throw new CliError(
        "CLI_FILE_EXISTS",
        `Cannot write "${file}": there is one already; edit it, or choose another name`,
        { cause },
      );
    throw new CliError(
      "CLI_FILE",
      `Cannot write "${file}": ${getErrorMessage(cause)}; make the folder writable`,
      {
        cause,
      },
    );
  }
  if (session.asJson) session.terminal.json({ file });
  else
    session.terminal.out(
      `Wrote ${file}\n\nNext:\n` +
        "  edit the file                what it runs, what it takes, when to use it\n" +
        "  haft tools lint              what is wrong with it\n" +
        "  haft trust                   say yes to it, each time you have changed it\n" +
        `  haft tools test ${name.padEnd(12)} run its examples\n` +
        (inTypeScript
          ? `  haft call ${name.padEnd(18)} call it; what it prints with console.log is shown\n`
          : ""),
    );
}
