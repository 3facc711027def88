import { signal } from "@preact/signals";
import { showInvisible } from "../../../src/base/index.ts";
import { ask } from "../net/api.ts";
import { onLive } from "../net/live.ts";
import { say } from "./live-region.tsx";

/** The number of questions that wait for an answer. */
export const pendingQuestions: { readonly value: number } = signal(0);

/** Counts waiting questions, and announces new ones to screen readers. */
export function watchQuestions(): () => void {
  let timer = 0;
  let counting = false;
  let again = false;
  let known: ReadonlySet<string> | undefined;
  const count = async () => {
    const questions = await ask("GET /questions", { query: { state: "pending" } });
    const fresh = questions.filter(({ id }) => known?.has(id) === false);
    if (fresh.length === 1) say(`New question: ${fresh[0]?.toolName ?? ""} asks for your yes`);
    else if (fresh.length > 1) say(`${fresh.length} new questions`);
    known = new Set(questions.map(({ id }) => id));
    (pendingQuestions as { value: number }).value = questions.length;
    document.title = document.title.replace(
      /^(?:\(\d+\) )?/,
      questions.length > 0 ? `(${questions.length}) ` : "",
    );
  };
  // One count at a time: an older one could come later, and take its place.
  const tryToCount = () => {
    again = counting;
    if (counting) return;
    counting = true;
    // A fault is shown by the page itself, and the next change counts again.
    void count()
      .catch(() => undefined)
      .finally(() => {
        counting = false;
        if (again) tryToCount();
      });
  };
  tryToCount();
  const stop = onLive(({ events, all }) => {
    if (timer !== 0 || !(all || events.some(({ kind }) => kind === "question"))) return;
    timer = window.setTimeout(() => {
      timer = 0;
      tryToCount();
    }, 300);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Sets the title of the tab: the number of waiting questions and the name of the page. */
export function setTitle(title: string): void {
  const count = pendingQuestions.value;
  document.title = `${count > 0 ? `(${count}) ` : ""}${showInvisible(title)} · haft`;
}
