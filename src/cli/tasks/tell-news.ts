import type { TaskView } from "../../app/views/index.ts";
import { oneLine } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { describeStanding, listRemedies } from "./task-words.ts";

/** A line that says what became of a task, and what can be done about it: `✓ brave-fox: done 0 s ago (Fix the parser)`. */
export function describeNews(view: TaskView, now: number): string {
  const { id, state, title } = view;
  const mark = state === "COMPLETED" ? "✓" : state === "FAILED" || state === "BLOCKED" ? "✗" : "…";
  const [remedy] = listRemedies(view);
  const doing = remedy === undefined ? "" : `; ${remedy}`;
  return oneLine(`${mark} ${id}, ${title}: ${describeStanding(view, now)}${doing}`);
}

/** Calls a person's attention to a task: rings the terminal's bell, and shows a notification if that is wanted. */
export class NewsHerald {
  readonly #terminal: Terminal;
  #notifies: boolean;

  constructor(terminal: Terminal, notify: boolean) {
    this.#terminal = terminal;
    this.#notifies = notify;
  }

  /** @param text What the notification says. */
  async announce(text: string): Promise<void> {
    if (!this.#notifies) return;
    this.#terminal.err("\u0007");
    const [{ notifyDesktop }, { showInvisible }] = await Promise.all([
      import("../../host/index.ts"),
      import("../../base/index.ts"),
    ]);
    if (await notifyDesktop("haft: a task", showInvisible(text).slice(0, 500))) return;
    this.#notifies = false;
    this.#terminal.err("No notification could be shown on the desktop (notify-send or osascript)\n");
  }
}
