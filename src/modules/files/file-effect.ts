import type { FileAccess, LocateOptions, Workspace } from "../../host/index.ts";
import type { CallContext, CheckContext, Effect } from "../../kernel/index.ts";

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

/** File access of a check, which reads only what the call may read without a question. */
export type LookAccess = FileAccess & Pick<CheckContext, "scope" | "agentId" | "origin">;

/**
 * Gives a check access to paths, for what the call wants to do to them. Undefined if reading one of them would need a
 * question; then nothing is checked.
 */
export function lookAt(
  workspace: Workspace,
  paths: readonly string[],
  context: CheckContext,
  { effects = [], ...options }: LocateOptions & { readonly effects?: readonly Effect[] } = {},
): LookAccess | undefined {
  const reads = paths.map((path) => fileEffect(workspace, "read", path, context, options));
  if (!reads.every(context.allows)) return undefined;
  return { ...context, allowedPaths: context.allowedPaths ?? [], effects: [...reads, ...effects] };
}
