import type { TaskView } from "../../app/views/index.ts";
import { oneLine } from "../../base/index.ts";
import type { Trust } from "../../kernel/index.ts";
import type {
  Task,
  TaskEdges,
  TaskHappening,
  TaskNode,
  TaskNote,
  TaskResult,
} from "../../modules/tasks/index.ts";
import { toMinute } from "../memory/entry-text.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "../text/display-width.ts";
import { renderTable } from "../text/table.ts";
import { describeCost, describeStanding, listRemedies, stateWords } from "./task-words.ts";

/** One task with its subtasks, notes, results and history. */
export interface WholeTask {
  readonly view: TaskView;
  readonly edges: TaskEdges;
  readonly children: readonly TaskNode[];
  readonly notes: readonly TaskNote[];
  readonly results: readonly TaskResult[];
  /** The newest, in their order. */
  readonly history: readonly TaskHappening[];
}

/** Renders one task: its state, what can be done about it, its text, notes, results and history. */
export function renderTask(whole: WholeTask, terminal: Terminal, now: number): string {
  const { view } = whole;
  const parts = [
    wrap(terminal, `${terminal.paint("bold", view.id)}  ${shown(terminal, view.title)}`),
    wrap(terminal, shown(terminal, describeStanding(view, now))),
    ...listRemedies(view).map((remedy) => wrap(terminal, `→ ${remedy}`)),
    `\n${renderFacts(listFacts(whole), terminal)}`,
    view.description === view.title ? "" : `\n${withEnd(terminal.foreign(view.description))}`,
    renderSection("Notes", whole.notes.map(describeNote), terminal),
    renderSection("Results", whole.results.map(describeResult), terminal),
    renderSection("History", whole.history.map(describeHappening), terminal),
  ];
  return parts.join("");
}

type Fact = readonly [name: string, value: string];

function listFacts({ view, edges, children }: WholeTask): readonly Fact[] {
  const { projectId, priority, type, parentId, verification, requiresApproval, retries, maxRetries } = view;
  const { agentId, runId, sessionId, branch, prUrl, trust, createdAt, leaseUntil } = view;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["project", projectId],
    ["kind", type],
    ["priority", String(priority)],
    ["part of", parentId],
    ["subtasks", listed(children.map(({ task }) => formatOther(task)))],
    ["depends on", listed(edges.dependsOn.map(formatOther))],
    ["waiting for it", listed(edges.blocks.map(formatOther))],
    ["verified by", requiresApproval ? "you, by your approval" : verifiers[verification]],
    ["tried again", retries === 0 ? undefined : `${retries} of ${maxRetries} times`],
    ["with", agentId],
    ["until", leaseUntil === undefined ? undefined : toMinute(leaseUntil)],
    ["run", runId && `${runId}${sessionId === undefined ? "" : `, in the session ${sessionId}`}`],
    ["branch", branch],
    ["pull request", prUrl],
    ["cost", costText(view)],
    ["made", toMinute(createdAt)],
    ["text", trust === "untrusted" ? "comes from outside: agents take it as data" : undefined],
  ];
  return facts.flatMap(([name, value]): readonly Fact[] =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
}

/** Who verifies a task that needs no approval. Undefined: whoever does it. */
const verifiers: Readonly<Record<Task["verification"], string | undefined>> = {
  auto_test: undefined,
  qa_agent: "an agent",
  human: "you",
};

/** `$0.02 with its subtasks, 12,000 tokens, 4 steps; the price of tiny is not known`. */
function costText(view: TaskView): string | undefined {
  const { cost } = view;
  if (cost === undefined) return undefined;
  const { tokens, steps, unpricedModels } = cost;
  const unpriced =
    unpricedModels.length === 0 ? "" : `; the price of ${unpricedModels.join(" and ")} is not known`;
  return `${describeCost({ cost: { ...cost, unpricedModels: [] } })}, ${tokens.toLocaleString("en")} tokens, ${steps} ${steps === 1 ? "step" : "steps"}, subtasks included${unpriced}`;
}

function formatOther({ id, state }: Task): string {
  return `${id} (${stateWords[state]})`;
}

function listed(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : words.join(", ");
}

function renderFacts(facts: readonly Fact[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    facts.map(([name, value]) => [name, shown(terminal, value)]),
    { width: terminal.width, titles: false, indent: "  " },
  );
}

/** A heading, and below it a line that says when and what for each, with its text. */
interface Item {
  readonly at: number;
  readonly what: string;
  readonly text: string;
}

function describeNote({ at, kind, label, text, trust }: TaskNote): Item {
  return {
    at,
    what: `${kind.replaceAll("_", " ")}${label === "" ? "" : ` ${label}`}${sourceMark(trust)}`,
    text,
  };
}

function sourceMark(trust: Trust): string {
  return trust === "untrusted" ? ", from outside" : "";
}

function describeResult({ at, attempt, outcome, summary, error, filesChanged, trust }: TaskResult): Item {
  const files = filesChanged.length === 0 ? [] : [`changed ${filesChanged.join(", ")}`];
  return {
    at,
    what: `attempt ${attempt}: ${outcome.replaceAll("_", " ")}${sourceMark(trust)}`,
    text: [summary, error ?? "", ...files].filter((part) => part !== "").join("\n"),
  };
}

function describeHappening({ at, event, from, to, by, why }: TaskHappening): Item {
  const states = to === undefined || from === to ? "" : `: ${stateWords[to]}`;
  const who = by === undefined ? "" : ` by ${by}`;
  return { at, what: `${event.toLowerCase().replaceAll("_", " ")}${who}${states}`, text: why ?? "" };
}

function renderSection(title: string, items: readonly Item[], terminal: Terminal): string {
  if (items.length === 0) return "";
  const lines = items.map(({ at, what, text }) => {
    const head = wrap(terminal, `  ${terminal.paint("dim", toMinute(at))}  ${shown(terminal, what)}`);
    return text === "" ? head : `${head}${indent(terminal.foreign(text), terminal.width)}`;
  });
  return `\n${terminal.paint("bold", title)}\n${lines.join("")}`;
}

function indent(text: string, width: number): string {
  return wrapText(text.trimEnd(), width - 4)
    .map((line) => `    ${line}\n`)
    .join("");
}

function wrap(terminal: Terminal, text: string): string {
  return `${wrapText(text, terminal.width).join("\n")}\n`;
}

function withEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function shown(terminal: Terminal, text: string): string {
  return terminal.foreign(oneLine(text));
}
