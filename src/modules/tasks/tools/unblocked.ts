import type { Task, Tasks } from "../store/tasks.ts";

/** Does something to a task, and lists the tasks that waited for it and are ready since. */
export async function listUnblocked(
  tasks: Tasks,
  scope: string,
  id: string,
  act: () => Promise<Task>,
): Promise<readonly Task[]> {
  const { blocks } = await tasks.edges(scope, id);
  const waiting = new Set(blocks.filter(({ state }) => state === "DEFINED").map((one) => one.id));
  await act();
  if (waiting.size === 0) return [];
  const after = await tasks.edges(scope, id);
  return after.blocks.filter((one) => one.state !== "DEFINED" && waiting.has(one.id));
}
