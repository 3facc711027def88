import { cutHead, formatDay, oneLine, type Zone } from "../../../base/index.ts";
import type { Todo } from "../store/todos.ts";

/** Maximum number of lines, so that the list does not discourage. */
const mostLines = 5;
const mostTitleChars = 80;

/** Shows the todos that are not hidden, those that are due first, in at most five lines. */
export function showTodos(todos: readonly Todo[], now: number, zone: Zone): string {
  const awake = todos.filter(({ snoozedUntil = 0 }) => snoozedUntil <= now).toSorted(compareTodos);
  const asleep = todos.length - awake.length;
  const rest = asleep === 0 ? "" : `${asleep} snoozed`;
  if (awake.length === 0) return `Nothing to do now${rest === "" ? "" : ` (${rest})`}`;
  const fits = awake.length <= mostLines && (asleep === 0 || awake.length < mostLines);
  const shown = fits ? awake : awake.slice(0, mostLines - 1);
  const more = [...(shown.length < awake.length ? [`${awake.length - shown.length} more`] : []), rest];
  const last = more.filter((one) => one !== "").join(", ");
  return [...shown.map((todo) => formatTodo(todo, now, zone)), ...(last === "" ? [] : [`(${last})`])].join(
    "\n",
  );
}

function compareTodos(one: Todo, other: Todo): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (one.due ?? never) - (other.due ?? never) || one.number - other.number;
}

/** One line: the title, when it is due, and its next step. */
function formatTodo({ number, title, steps, due }: Todo, now: number, zone: Zone): string {
  const next = steps.findIndex(({ isDone }) => !isDone);
  const step = steps[next];
  const when =
    due === undefined
      ? ""
      : due < now
        ? ` (overdue since ${formatDue(due, zone)})`
        : ` (due ${formatDue(due, zone)})`;
  const what = step === undefined ? "" : ` → ${number}.${next + 1} of ${steps.length}: ${shorten(step.text)}`;
  return `${number} ${shorten(title)}${when}${what}`;
}

function shorten(text: string): string {
  const line = oneLine(text);
  const head = cutHead(line, mostTitleChars);
  return head.length < line.length ? `${head}…` : line;
}

/** Formats a time; midnight is shown as the day alone. */
function formatDue(due: number, zone: Zone): string {
  const time = new Date(zone.toWallTime(due)).toISOString().slice(11, 16);
  return time === "00:00" ? formatDay(due, zone) : `${formatDay(due, zone)} ${time}`;
}
