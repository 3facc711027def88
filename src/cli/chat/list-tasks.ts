import type { App } from "../../app/index.ts";
import { readTaskViews } from "../../app/views/index.ts";
import { oneLine } from "../../base/index.ts";
import { describeCost, describeStanding } from "../tasks/task-words.ts";

const mostListed = 20;

/** The tasks that are not done, a line for each, the most urgent first. */
export async function listOpenTasks(app: App): Promise<string> {
  const store = await app.store();
  const scope = app.context.scope ?? "local";
  const { tasks, total } = await store.tasks.list({ scope, notStates: ["COMPLETED"], limit: mostListed });
  const now = Date.now();
  const lines = (await readTaskViews(store, tasks, { scope, now })).map((view) => {
    const facts = [describeStanding(view, now), describeCost(view)].filter((fact) => fact !== "");
    return oneLine(`${view.id}, ${view.title}: ${facts.join(", ")}`);
  });
  if (lines.length === 0) return "No task is open; `haft tasks --all` lists those that are done";
  const rest = total > lines.length ? `${total - lines.length} more: ` : "";
  return [...lines, `${rest}\`haft tasks\` lists all, \`haft tasks show ID\` shows one whole`].join("\n");
}
