import { cutHead } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import type { Task, TaskResult, Tasks } from "../store/tasks.ts";

/** Maximum length of a description or a summary in a note, in characters. The store keeps the whole text. */
const mostChars = 4_000;

/**
 * Writes a note about an archived task with the tool `write_note`: with the caller's permissions and the task's trust.
 *
 * @returns the title of the note; undefined where the caller has no such tool, or it is refused
 */
export async function writeArchiveNote(
  tasks: Tasks,
  task: Task,
  context: ToolContext,
): Promise<string | undefined> {
  if (!context.toolset.of("write_note").callable.is) return undefined;
  const result = (await tasks.results(context.scope, task.id)).at(-1);
  const title = `Archived task ${task.id}`;
  const isFromOutside = task.trust === "untrusted" || result?.trust === "untrusted";
  const written = await context.call(
    "write_note",
    { project_id: task.projectId, title, content: formatNote(task, result) },
    isFromOutside ? { trust: "untrusted" } : {},
  );
  return written.success ? title : undefined;
}

function formatNote({ title, description, state }: Task, result: TaskResult | undefined): string {
  const summary = result?.summary ?? "";
  return [
    `# ${title}`,
    `Status: ${state}${result === undefined ? "" : `, ${result.outcome}`}`,
    ...(description === title ? [] : [cutHead(description, mostChars)]),
    ...(summary === "" ? [] : [`## Result\n\n${cutHead(summary, mostChars)}`]),
  ].join("\n\n");
}
