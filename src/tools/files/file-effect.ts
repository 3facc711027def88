import type { LocateOptions, Workspace } from "../../host/index.ts";
import type { CallContext, Effect } from "../../kernel/index.ts";

/** The effect of doing something to one path, with the path as it really leads. */
export function fileEffect(
  workspace: Workspace,
  kind: "read" | "write" | "delete",
  path: string,
  context: CallContext,
  options: LocateOptions = {},
): Effect {
  const { path: target, within } = workspace.locate(path, context, options);
  return { kind, target, within };
}
