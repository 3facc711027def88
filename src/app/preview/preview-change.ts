import type { Workspace } from "../../host/index.ts";
import type { Redact } from "../../kernel/index.ts";
import { type AskedChange, previewWrite } from "../../modules/files/index.ts";
import { formatUnifiedDiff } from "./unified-diff.ts";

/** Length limit of a diff. The page also shows the arguments of the call, which are not cut. */
const mostChars = 200_000;

/**
 * Formats the change to a file that a question asks about, as a unified diff without known secrets. Undefined if the
 * question is not about a change to a text file; empty if the file would stay as it is.
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
