import type { VNode } from "preact";
import { shellWord, showInvisible } from "../../../../src/base/index.ts";
import type { TaskColumnName } from "../../../../src/server/console/api/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Choice } from "../../parts/filter-fields.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { useKeys } from "../../shell/keys.ts";
import { formatCount } from "../../text/format.ts";
import { TaskCard } from "./task-card.tsx";
import { TasksPage } from "./tasks-page.tsx";
import { columnOptions, columnTitles, emptyColumns } from "./words.ts";

type Column = AnswerTo<"GET /tasks">["columns"][number];

const perColumn = "30";
/** What is done is looked at least: the rest is on its own page. */
const mostDone = 10;
const perPage = "100";

/** All tasks by what they wait for; or one column, a page at a time. */
export function Board({ query }: { readonly query: URLSearchParams }): VNode {
  const project = query.get("project") ?? "";
  const column = (Object.keys(columnTitles) as TaskColumnName[]).find((one) => one === query.get("column"));
  const after = query.get("after") ?? "";
  const { answer, fault, reload } = useAnswer("GET /tasks", {
    query: {
      limit: column === undefined ? perColumn : perPage,
      ...(project !== "" && { project }),
      ...(column !== undefined && { column }),
      ...(after !== "" && { after }),
    },
  });
  useLiveReload(["task", "run", "question"], reload, 700);
  useKeys(({ key }) => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
    const cards = [...document.querySelectorAll<HTMLElement>(".task-card")];
    if (by === undefined || cards.length === 0) return false;
    const at = cards.findIndex((card) => card === document.activeElement);
    cards[Math.max(0, Math.min(cards.length - 1, at + by))]?.focus();
    return true;
  });
  const projects = [...new Set([...(answer?.projects ?? []), ...(project === "" ? [] : [project])])];
  const options = [
    column === undefined ? "--all" : columnOptions[column],
    project === "" ? "" : `--project ${shellWord(project)}`,
  ];
  return (
    <TasksPage
      view={column === "archive" ? "archive" : "board"}
      project={project}
      command={["haft tasks list", ...options.filter((option) => option !== "")].join(" ")}
      head={
        projects.length > 1 && (
          <Choice
            label="Project"
            none="All projects"
            value={project}
            choices={projects.map((one) => ({ value: one, label: showInvisible(one) }))}
            change={(next) => go(toHref("tasks", { project: next, column }), { replace: true })}
          />
        )
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <Columns
          columns={answer.columns}
          project={project}
          showProject={projects.length > 1 && project === ""}
        />
      )}
    </TasksPage>
  );
}

function Columns({
  columns,
  project,
  showProject,
}: {
  readonly columns: readonly Column[];
  readonly project: string;
  readonly showProject: boolean;
}): VNode {
  const [only] = columns;
  if (only !== undefined && columns.length === 1)
    return <ColumnAlone column={only} project={project} showProject={showProject} />;
  if (columns.every(({ total }) => total === 0))
    return (
      <Empty title="There are no tasks">
        <p>
          A task is work that outlives a conversation. Make the first one:{" "}
          <code>haft tasks add 'Write the tests'</code>
        </p>
        <p>
          Agents make tasks by <code>create_task</code> and give work away by <code>spawn_task</code>; any MCP
          client takes them by <code>claim_task</code>: <code>haft mcp --profile queue</code>
        </p>
      </Empty>
    );
  return (
    <div class="board">
      {columns.map((column) => {
        const { kind, total } = column;
        const tasks = kind === "done" ? column.tasks.slice(0, mostDone) : column.tasks;
        return (
          <section key={kind} class="column" data-column={kind} aria-labelledby={`column-${kind}`}>
            <header class="column-head">
              <h2 id={`column-${kind}`}>{columnTitles[kind]}</h2>
              <span class="dim">{formatCount(total)}</span>
              {total > tasks.length && (
                <a href={toHref("tasks", { project, column: kind })}>
                  All<span class="unseen"> of {columnTitles[kind]}</span>
                </a>
              )}
            </header>
            {tasks.length === 0 ? (
              <p class="column-empty dim">{emptyColumns[kind]}</p>
            ) : (
              <Cards column={{ ...column, tasks }} showProject={showProject} />
            )}
          </section>
        );
      })}
    </div>
  );
}

function Cards({
  column: { kind, tasks },
  showProject,
}: {
  readonly column: Column;
  readonly showProject: boolean;
}): VNode {
  return (
    <ul class="task-cards" aria-label={`Tasks: ${columnTitles[kind]}`}>
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskCard task={task} showProject={showProject} />
        </li>
      ))}
    </ul>
  );
}

function ColumnAlone({
  column,
  project,
  showProject,
}: {
  readonly column: Column;
  readonly project: string;
  readonly showProject: boolean;
}): VNode {
  const { kind, total, tasks, next } = column;
  if (tasks.length === 0)
    return (
      <Empty title={emptyColumns[kind]}>
        <p>
          {kind === "archive" ? "A task that is done, failed or blocked can be archived on its page. " : ""}
          <a href={toHref("tasks", { project })}>The whole board</a>
        </p>
      </Empty>
    );
  return (
    <section class="column-alone" aria-labelledby="column">
      <header class="column-head">
        <h2 id="column">{columnTitles[kind]}</h2>
        <span class="dim">{formatCount(total)}</span>
        <a href={toHref("tasks", { project })}>The whole board</a>
      </header>
      <Cards column={column} showProject={showProject} />
      {next !== undefined && (
        <a href={toHref("tasks", { project, column: kind, after: next })}>Next {perPage}</a>
      )}
    </section>
  );
}
