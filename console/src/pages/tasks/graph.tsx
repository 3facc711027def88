import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { shellWord, showInvisible } from "../../../../src/base/index.ts";
import type { TaskGraph, TaskLine } from "../../../../src/server/console/api/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { layOutLayers, type Place } from "./layers.ts";
import { TaskMark, toTask } from "./task-card.tsx";
import { TasksPage } from "./tasks-page.tsx";
import { states } from "./words.ts";

const box = { width: 176, height: 40, across: 56, down: 14 } as const;
const mostChars = 24;

/** What waits for what: around one task, or all that is open. */
export function GraphPage({ query }: { readonly query: URLSearchParams }): VNode {
  const [project, task] = [query.get("project") ?? "", query.get("task") ?? ""];
  const { answer, fault, reload } = useAnswer("GET /tasks/graph", {
    query: task !== "" ? { task } : project !== "" ? { project } : {},
  });
  useLiveReload(["task"], reload, 700);
  const options = project === "" ? "" : ` --project ${shellWord(project)}`;
  return (
    <TasksPage
      view="graph"
      project={project}
      command={task === "" ? `haft tasks list${options}` : `haft tasks show ${shellWord(task)}`}
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : answer.edges.length === 0 ? (
        <Empty title="No task waits for another">
          <p>
            Say what a task has to wait for when you make it:{" "}
            <code>haft tasks add 'Write the docs' --depends-on {task === "" ? "TASK" : shellWord(task)}</code>
          </p>
        </Empty>
      ) : (
        <Graph graph={answer} center={task} />
      )}
    </TasksPage>
  );
}

function Graph({ graph, center }: { readonly graph: TaskGraph; readonly center: string }): VNode {
  const { nodes, edges, cut } = graph;
  const key = JSON.stringify([nodes.map(({ id }) => id), edges]);
  const places = useMemo(
    () =>
      layOutLayers(
        nodes.map(({ id }) => id),
        edges,
      ),
    [key],
  );
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  const ordered = nodes.toSorted((one, other) => rank(places, one) - rank(places, other));
  return (
    <>
      <p class="task-facts">
        <span class="dim">
          {formatCounted(nodes.length, "task")}, {formatCounted(edges.length, "dependency", "dependencies")}
          {cut && "; there are more than are shown"}
        </span>
        {center !== "" && (
          <a href={toHref("tasks/graph")}>
            Only around <Text value={titles.get(center) ?? center} oneLine />: show all that is open
          </a>
        )}
      </p>
      <Drawing graph={graph} center={center} places={places} />
      <ul class="task-lines" aria-label="Tasks and what they wait for">
        {ordered.map(({ id, title, state }) => {
          const befores = edges.filter(([, after]) => after === id);
          return (
            <li key={id}>
              <span>
                <a href={toTask(id)}>
                  <Text value={title} oneLine />
                </a>
                {befores.length > 0 && (
                  <span class="dim">
                    {" after "}
                    <Text value={befores.map(([one]) => titles.get(one) ?? one).join(", ")} oneLine />
                  </span>
                )}
              </span>
              <TaskMark state={state} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

function rank(places: ReadonlyMap<string, Place>, { id }: TaskLine): number {
  const { layer = 0, row = 0 } = places.get(id) ?? {};
  return layer * 1_000 + row;
}

/** Tasks as boxes, each to the right of what it waits for. The list below says the same. */
function Drawing({
  graph: { nodes, edges },
  center,
  places,
}: {
  readonly graph: TaskGraph;
  readonly center: string;
  readonly places: ReadonlyMap<string, Place>;
}): VNode {
  const heights = new Map<number, number>();
  for (const { layer } of places.values()) heights.set(layer, (heights.get(layer) ?? 0) + 1);
  const rows = Math.max(...heights.values());
  const step = box.height + box.down;
  const find = (id: string) => {
    const { layer = 0, row = 0 } = places.get(id) ?? {};
    const above = ((rows - (heights.get(layer) ?? 0)) * step) / 2;
    return { x: 1 + layer * (box.width + box.across), y: 1 + above + row * step };
  };
  const width = heights.size * (box.width + box.across) - box.across + 2;
  const height = rows * step - box.down + 2;
  return (
    <div class="task-graph" tabIndex={0} role="region" aria-label="The graph as a drawing">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Tasks, each to the right of what it waits for; the list below says the same"
      >
        {edges.map(([before, after]) => {
          const [from, to] = [find(before), find(after)];
          const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
          const [x2, y2] = [to.x, to.y + box.height / 2];
          const bend = box.across / 2;
          return (
            <g key={`${before} ${after}`} class="graph-edge">
              <path d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2 - 6},${y2}`} />
              <path class="graph-arrow" d={`M${x2},${y2} l-7,-4 v8 z`} />
            </g>
          );
        })}
        {nodes.map(({ id, title, state }) => {
          const { x, y } = find(id);
          const [sign, word, colour] = states[state];
          return (
            <g
              key={id}
              class="graph-box"
              data-state={colour}
              data-center={id === center}
              transform={`translate(${x},${y})`}
              onClick={() => go(toTask(id))}
            >
              <rect width={box.width} height={box.height} rx={6} />
              <text x={10} y={17}>
                {shorten(title)}
              </text>
              <text class="graph-state" x={10} y={32}>
                {sign} {word}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** What anybody wrote is written out here, too, where it would not be seen. */
function shorten(text: string): string {
  const shown = showInvisible(text);
  return shown.length > mostChars ? `${shown.slice(0, mostChars - 1)}…` : shown;
}
