import type { Workspace } from "../../host/index.ts";
import type { Redact } from "../../kernel/index.ts";
import { type AskedChange, previewWrite } from "../../modules/files/index.ts";
import { formatUnifiedDiff } from "./unified-diff.ts";

/** A longer difference is cut: the arguments of the call are all there. */
const mostChars = 200_000;

/**
 * The change of a file that a question is about, as a unified diff without known secrets. Undefined if it is about no
 * change of a text file; empty if the file would stay as it is.
 */
export async function previewChange(
  { workspace, redact }: { readonly workspace: Workspace; readonly redact: Redact },
  asked: AskedChange,
  signal: AbortSignal,
): Promise<string | undefined> {
  const preview = await previewWrite(workspace, asked, signal);
  if (preview === undefined) return undefined;
  const diff = redact(formatUnifiedDiff(preview.path, preview.before, preview.after));
  if (diff.length <= mostChars) return diff;
  const end = diff.lastIndexOf("\n", mostChars);
  return `${diff.slice(0, end + 1)}\\ ${diff.length - end - 1} more characters\n`;
}
