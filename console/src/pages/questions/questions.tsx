import "./questions.css";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { shellWord } from "../../../../src/base/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { StateMark } from "../../parts/state-mark.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Since } from "../../parts/time.tsx";
import { go, toHref } from "../../shell/address.ts";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import type { PageProps } from "../../shell/page-props.ts";
import { Text } from "../../text/text.tsx";
import { Ask } from "./effects.tsx";
import { QuestionView } from "./question.tsx";

/** What agents ask: those that wait, or all of the last 30 days; one of them open. */
export default function Questions({ rest: [id], query }: PageProps): VNode {
  const state = query.get("state") === "all" ? "all" : "pending";
  const { answer: questions, fault, reload } = useAnswer("GET /questions", { query: { state } });
  useLiveReload(["question"], reload, 300);
  const toQuestion = (question: string) =>
    toHref(`questions/${encodeURIComponent(question)}`, { state: state === "all" ? "all" : "" });
  // If there is room for both, the oldest one that waits is open.
  const first = questions?.findLast((question) => question.state === "pending")?.id;
  useEffect(() => {
    if (id === undefined && first !== undefined && matchMedia("(min-width: 901px)").matches)
      go(toQuestion(first), { replace: true });
  }, [id === undefined, first === undefined]);
  useKeys(({ key }) => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
    if (by === undefined || questions === undefined || questions.length === 0) return false;
    const at = questions.findIndex((question) => question.id === id);
    const next = questions[Math.max(0, Math.min(questions.length - 1, at + by))];
    if (next !== undefined) go(toQuestion(next.id), { replace: id !== undefined });
    return true;
  });
  return (
    <Page
      title="Questions"
      command={id === undefined ? "haft approvals" : `haft approvals show ${shellWord(id)}`}
      class={`questions-page ${id === undefined ? "" : "has-question"}`}
      head={
        <div class="tabs" role="group" aria-label="Which questions">
          <a href={toHref("questions")} aria-current={state === "pending" ? "true" : undefined}>
            Waiting
          </a>
          <a href={toHref("questions", { state: "all" })} aria-current={state === "all" ? "true" : undefined}>
            History
          </a>
        </div>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {questions === undefined ? (
        fault === undefined && <Loading />
      ) : questions.length === 0 && id === undefined ? (
        <NoQuestions state={state} />
      ) : (
        <div class="split">
          <div class="split-list">
            {questions.length === 0 ? (
              <NoQuestions state={state} />
            ) : (
              <ul class="question-list" aria-label="Questions">
                {questions.map((question) => (
                  <li key={question.id}>
                    <a href={toQuestion(question.id)} aria-current={question.id === id ? "true" : undefined}>
                      <Ask question={question} />
                      <span class="question-foot dim">
                        <Text
                          value={
                            question.agentId ??
                            question.origin?.client?.name ??
                            question.origin?.channel ??
                            question.scope
                          }
                        />
                        {state === "all" && <StateMark state={question.state} />}
                        <span>
                          <Since at={question.createdAt} /> ago
                        </span>
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </div>
          {id === undefined ? (
            <p class="split-detail dim choose">Choose a question.</p>
          ) : (
            <QuestionView
              key={id}
              id={id}
              next={questions.find((one) => one.id !== id && one.state === "pending")?.id}
              toQuestion={toQuestion}
            />
          )}
        </div>
      )}
    </Page>
  );
}

function NoQuestions({ state }: { readonly state: "pending" | "all" }): VNode {
  return (
    <Empty title={state === "all" ? "Nobody has asked yet" : "Nothing waits for you"}>
      <p>
        {state === "all"
          ? "Calls that no rule allows ask here."
          : "A call that no rule allows asks here, and in every terminal that watches."}
      </p>
    </Empty>
  );
}
