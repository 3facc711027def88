import type { VNode } from "preact";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { toHref } from "../../shell/address.ts";
import { QuestionView } from "../questions/question.tsx";

/** What the calls of a run ask, each to be answered where it stands. */
export function RunQuestions({ runId }: { readonly runId: string }): VNode | null {
  const { answer, reload } = useAnswer("GET /questions", { query: { state: "pending" } });
  useLiveReload(["question"], reload, 300);
  const asked = answer?.filter(({ callId }) => callId.startsWith(`${runId}.`)) ?? [];
  if (asked.length === 0) return null;
  return (
    <section class="chat-questions" aria-label="Questions of this run">
      {asked.toReversed().map(({ id }) => (
        <div key={id} class="chat-question">
          <QuestionView
            id={id}
            next={undefined}
            toQuestion={(question) => toHref(`questions/${encodeURIComponent(question)}`)}
          />
        </div>
      ))}
    </section>
  );
}
