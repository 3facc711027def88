import type { App } from "../../app/index.ts";
import { oneLine, showInvisible } from "../../base/index.ts";
import { describeEffects } from "../../kernel/index.ts";
import { findWaitingRuns } from "../asking/waiting-runs.ts";
import { isAwaited } from "../text/approval.ts";
import { formatSpan } from "../text/span.ts";

const mostListed = 20;

/** The questions that wait for an answer, a line for each, and how they are answered. */
export async function listOpenApprovals(app: App): Promise<string> {
  const { approvals, runs } = await app.store();
  const open = await approvals.list({ state: "pending" });
  if (open.length === 0) return "Nothing waits for an answer";
  const now = Date.now();
  const waiting = await findWaitingRuns(runs, app.context.scope ?? "local");
  const lines = open.slice(0, mostListed).map((approval) => {
    const { id, toolName, effects, hasLongEffects, createdAt } = approval;
    const what = hasLongEffects ? "more than a list can show" : describeEffects(effects);
    const run = waiting.get(id);
    const who =
      run === undefined
        ? isAwaited(approval, now)
          ? "a call waits"
          : "no call waits any more"
        : `/resume ${run.id} asks here`;
    return oneLine(`${id}, ${formatSpan(now - createdAt)} ago, ${toolName}: ${showInvisible(what)}; ${who}`);
  });
  const rest = open.length > lines.length ? `${open.length - lines.length} more: ` : "";
  return [...lines, `${rest}\`haft approvals approve ID\` and \`deny ID\` answer one`].join("\n");
}
