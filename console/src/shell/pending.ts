import { signal } from "@preact/signals";
import { showInvisible } from "../../../src/base/index.ts";
import { ask } from "../net/api.ts";
import { onLive } from "../net/live.ts";
import { say } from "./live-region.tsx";

/** How many questions wait for an answer. */
export const pendingQuestions: { readonly value: number } = signal(0);

/** Counts the questions that wait, and tells a screen reader of new ones. */
export function watchQuestions(): () => void {
  let timer = 0;
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
  // The page says what is wrong; the next change counts again.
  const tryToCount = () => void count().catch(() => undefined);
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

/** Names the page in the tab, with the count of questions before it. */
export function setTitle(title: string): void {
  const count = pendingQuestions.value;
  document.title = `${count > 0 ? `(${count}) ` : ""}${showInvisible(title)} · haft`;
}
