import type { TaskView } from "../../app/views/index.ts";
import { oneLine } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";
import { describeCost, describeStanding } from "./task-words.ts";

/** A task in its place in a tree. */
export interface PlacedTask {
  readonly view: TaskView;
  /** @default 0 */
  readonly depth?: number;
}

/** A line for each task: its id, how it stands, what it cost, its project and its title. */
export function renderTasks(tasks: readonly PlacedTask[], terminal: Terminal, now: number): string {
  return renderTable(
    [
      { title: "Id", whole: true, paint: (text) => terminal.paint("bold", text) },
      { title: "State" },
      { title: "Cost", align: "right" },
      { title: "Project" },
      { title: "Title", overflow: "cut" },
    ],
    tasks.map(({ view, depth = 0 }) => [
      "  ".repeat(depth) + view.id,
      shown(terminal, describeStanding(view, now)),
      describeCost(view),
      shown(terminal, view.projectId),
      shown(terminal, view.title),
    ]),
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["Project", "Cost"],
    },
  );
}

/** Text from elsewhere on one line. */
function shown(terminal: Terminal, text: string): string {
  return terminal.foreign(oneLine(text));
}
