import { join, resolve } from "node:path";
import type { Home } from "../../app/index.ts";
import type { SourceFile } from "../../host/index.ts";
import type { FileProblem, MarkdownTool } from "../../sources/index.ts";
import { CliError } from "../errors.ts";

/** The folder of tools in Markdown, below a project or haft's own home. */
export function findToolFolder(folder: string): string {
  return join(folder, "agent", "tools");
}

/** The folder of a project's, or of haft's own, tools in TypeScript. */
export function findExtensionFolder(folder: string): string {
  return join(folder, "agent", "extensions");
}

export interface CheckedFiles {
  /** Those that were looked at. */
  readonly files: readonly string[];
  readonly tools: readonly MarkdownTool[];
  readonly problems: readonly FileProblem[];
}

/**
 * Reads files of tools, and manifests: those that are named, else all that this project and haft's home have.
 *
 * @throws {CliError} CLI_NOT_FOUND for one that is named and not there.
 */
export async function checkToolFiles(
  named: readonly string[],
  { folder, home }: { readonly folder: string; readonly home: Pick<Home, "folder"> },
): Promise<CheckedFiles> {
  const { readMarkdownTool, readManifest } = await import("../../sources/index.ts");
  const { files, problems } = await (named.length > 0 ? readNamed(named) : readAll([home.folder, folder]));
  const tools: MarkdownTool[] = [];
  for (const file of files) {
    if (/\.json$/i.test(file.path)) {
      problems.push(...readManifest(file).problems);
      continue;
    }
    const read = readMarkdownTool(file);
    problems.push(...read.problems);
    if (read.tool !== undefined) tools.push(read.tool);
  }
  return { files: files.map(({ path }) => path), tools, problems };
}

interface FoundFiles {
  readonly files: readonly SourceFile[];
  readonly problems: FileProblem[];
}

async function readNamed(named: readonly string[]): Promise<FoundFiles> {
  const [{ readSourceFile }, { unreadable }] = await Promise.all([
    import("../../host/index.ts"),
    import("../../sources/index.ts"),
  ]);
  const files: SourceFile[] = [];
  const problems: FileProblem[] = [];
  for (const name of named) {
    const path = resolve(name);
    const file = await readSourceFile(path);
    if (file === undefined) {
      const isManifest = /\.json$/i.test(path);
      if (!isManifest)
        throw new CliError(
          "CLI_NOT_FOUND",
          `Cannot check "${path}": there is no such file; name one that is there`,
        );
      problems.push({
        where: path,
        code: "MANIFEST_NOT_FOUND",
        message: `Cannot find the manifest "${path}"; name one that is there`,
        level: "error",
      });
    } else if ("reason" in file) problems.push(unreadable(file));
    else files.push(file);
  }
  return { files, problems };
}

async function readAll(folders: readonly string[]): Promise<FoundFiles> {
  const [{ readSourceFile, readSourceFiles }, { isTool, manifestFileName, unreadable }] = await Promise.all([
    import("../../host/index.ts"),
    import("../../sources/index.ts"),
  ]);
  const files: SourceFile[] = [];
  const problems: FileProblem[] = [];
  for (const folder of folders) {
    const found = await readSourceFiles(findToolFolder(folder), { match: isTool });
    const manifest = await readSourceFile(join(folder, manifestFileName));
    files.push(...found.files);
    problems.push(...found.skipped.map(unreadable));
    if (manifest === undefined) continue;
    if ("reason" in manifest) problems.push(unreadable(manifest));
    else files.push(manifest);
  }
  return { files, problems };
}
