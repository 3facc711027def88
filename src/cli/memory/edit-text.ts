import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getErrorCode } from "../../base/index.ts";
import { openInEditor, readVariable } from "../../host/index.ts";
import { CliError } from "../errors.ts";

/** A text in a file that only its owner reads, while somebody edits it. */
export interface EditedText {
  readonly text: string;
  readonly file: string;
  forget(): Promise<void>;
}

/**
 * Opens the editor of `$VISUAL` or `$EDITOR` on a text.
 *
 * @throws {CliError} CLI_CANCELLED, CLI_FILE. What somebody wrote stays in the file, which is named.
 */
export async function editText(text: string): Promise<EditedText> {
  const folder = await mkdtemp(join(tmpdir(), "haft-memory-"));
  const file = join(folder, "memory.md");
  await writeFile(file, text, { mode: 0o600 });
  const editor = readVariable("VISUAL") || readVariable("EDITOR") || "vi";
  const code = await openInEditor(editor, file);
  const edited = await readFile(file, "utf8").catch((thrown: unknown) => {
    if (getErrorCode(thrown) === "ENOENT") return "";
    throw thrown;
  });
  const forget = () => rm(folder, { recursive: true, force: true });
  if (code !== 0) {
    const isWritten = edited !== text && edited.trim() !== "";
    if (!isWritten) await forget();
    throw new CliError(
      "CLI_CANCELLED",
      `Nothing was changed: the editor "${editor}" ended with ${code}${isWritten ? `; what you wrote is in ${file}` : ""}`,
    );
  }
  return { text: text.endsWith("\n") ? edited : edited.replace(/\n$/, ""), file, forget };
}
