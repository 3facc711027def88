import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { TaskState } from "../../store/states.ts";
import { findProject } from "../choose-project.ts";
import { readsTasks } from "../effects.ts";
import { formatForest } from "../format-tree.ts";
import { cursor, projectId, reading, taskState } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showRow } from "../show-task.ts";

const parameters = z.strictObject({
  project_id: projectId,
  status: taskState.optional().describe("Only tasks in this state"),
  show_all: z.boolean().optional().describe("The same as include_completed"),
  include_completed: z.boolean().optional().describe("Also completed tasks"),
  completed_only: z.boolean().optional().describe("Only completed tasks"),
  display_mode: z
    .enum(["flat", "tree", "compact"])
    .default("flat")
    .describe(
      "tree and compact add the tasks as text, subtasks below their parents; compact only counts these",
    ),
  show_dependencies: z.boolean().default(false).describe("Name what each task depends on and blocks"),
  limit: z.int().min(1).max(200).default(200),
  cursor,
});

type Params = z.output<typeof parameters>;

export function listTasksTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "list_tasks",
    title: "List tasks",
    description:
      "List the tasks of a project, most urgent first. Completed tasks are hidden unless asked for; failed and blocked ones are not, as they need attention.",
    category: "system",
    parameters,
    annotations: reading,
    maxOutputChars: 100_000,
    effects: readsTasks,
    async execute(params, { scope }) {
      const project = findProject(services, params.project_id);
      const { states, hides } = chooseStates(params);
      const of = { scope, ...(project !== undefined && { projectId: project }) };
      const query = {
        ...of,
        ...(states !== undefined && { states }),
        ...(hides && { notStates: ["COMPLETED"] as const }),
      };
      const page = await tasks.list({
        ...query,
        limit: params.limit,
        ...(params.cursor !== undefined && { cursor: params.cursor }),
      });
      const hidden = hides ? ((await tasks.count({ ...of, states: ["COMPLETED"] })).COMPLETED ?? 0) : 0;
      const wantsTree = params.display_mode !== "flat";
      const isFlat = !wantsTree || project === undefined;
      const edges =
        params.show_dependencies && page.tasks.length > 0
          ? await tasks.findEdges(
              scope,
              page.tasks.map(({ id }) => id),
            )
          : undefined;
      const rows = page.tasks.map((task) => {
        const { dependsOn = [], blocks = [] } = edges?.get(task.id) ?? {};
        return {
          ...showRow(task),
          ...(project === undefined && { project_id: task.projectId }),
          ...(dependsOn.length > 0 && { depends_on: dependsOn }),
          ...(blocks.length > 0 && { blocks }),
        };
      });
      const data = {
        display_mode: isFlat ? "flat" : params.display_mode,
        ...(project !== undefined && { project_id: project }),
        tasks: rows,
        total: page.total,
        hidden_completed: hidden,
        filtered: hides,
        ...(edges !== undefined && { dependency_display: formatEdges(rows) }),
        ...(!isFlat && {
          formatted: formatForest(page.tasks, {
            isCompact: params.display_mode === "compact",
            ...(edges !== undefined && { edges }),
          }),
        }),
        ...(wantsTree && isFlat && { note: "The list is flat: a tree is of one project; give project_id" }),
        ...(page.next !== undefined && { next_cursor: page.next }),
      };
      return labelledContent(data, page.tasks);
    },
  });
}

/** Which states are listed, and whether completed tasks are hidden because nobody asked for them. */
function chooseStates(params: Params): { readonly states?: readonly TaskState[]; readonly hides: boolean } {
  if (params.status !== undefined) return { states: [params.status], hides: false };
  if (params.completed_only === true) return { states: ["COMPLETED"], hides: false };
  return { hides: params.show_all !== true && params.include_completed !== true };
}

function formatEdges(
  rows: readonly { readonly id: string; readonly depends_on?: readonly string[] }[],
): string {
  const lines = rows.flatMap(({ id, depends_on: needs }) =>
    needs === undefined ? [] : [`${id} ← needs ${needs.join(", ")}`],
  );
  return lines.length === 0 ? "no dependencies" : lines.join("\n");
}
