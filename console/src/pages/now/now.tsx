import "./now.css";
import "../questions/questions.css";
import type { VNode } from "preact";
import type { AnswerTo } from "../../net/api.ts";
import { ask } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Since } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted, formatMicros } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { Ask } from "../questions/effects.tsx";

type NowAnswer = AnswerTo<"GET /now">;

/** What happens now: what is asked, what runs, what is in trouble, what today cost. */
export default function Now(): VNode {
  const { answer, fault, reload } = useAnswer("GET /now");
  useLiveReload(["call", "question", "run"], reload, 400);
  return (
    <Page title="Now" command="haft approvals && haft audit --outcome started" class="now-page">
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? fault === undefined && <Loading /> : <Overview now={answer} reload={reload} />}
    </Page>
  );
}

function Overview({ now, reload }: { readonly now: NowAnswer; readonly reload: () => void }): VNode {
  const { questions, running, trouble, today } = now;
  const quiet = questions.length === 0 && running.length === 0 && trouble.length === 0;
  return (
    <>
      <dl class="figures">
        <Figure
          name="Waiting for you"
          value={formatCount(questions.length)}
          href={toHref("questions")}
          strong={questions.length > 0}
        />
        <Figure
          name="Running"
          value={formatCount(running.length)}
          href={toHref("calls", { states: "started" })}
        />
        <Figure name="Calls today" value={formatCount(today.calls)} href={toHref("calls", { last: "24h" })} />
        <Figure
          name="Spent today"
          value={formatMicros(today.costMicros)}
          note={
            today.unpriced > 0
              ? `and ${formatCounted(today.unpriced, "request")} of unknown price`
              : undefined
          }
        />
      </dl>
      {questions.length > 0 && (
        <Section title="Questions" aside={<a href={toHref("questions")}>All questions</a>}>
          <ul class="cards">
            {questions.slice(0, 5).map((question) => (
              <li key={question.id}>
                <a class="card question-card" href={toHref(`questions/${encodeURIComponent(question.id)}`)}>
                  <Ask question={question} />
                  <span class="dim">
                    asked <Since at={question.createdAt} /> ago
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {trouble.length > 0 && (
        <Section title="Trouble">
          <ul class="trouble">
            {trouble.map(({ source, problem }) => (
              <li key={source}>
                <strong>
                  <Text value={source} />
                </strong>
                <Text value={problem} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {running.length > 0 && (
        <Section title="Running">
          <ul class="running">
            {running.map((call) => (
              <RunningCall key={call.seq} call={call} reload={reload} />
            ))}
          </ul>
        </Section>
      )}
      {quiet && (
        <Empty title="All is quiet">
          <p>
            Nothing runs, and nobody waits for you. What agents did is under{" "}
            <a href={toHref("calls")}>Calls</a>; start one with <code>haft run</code> or{" "}
            <code>haft chat</code>.
          </p>
        </Empty>
      )}
      <p class="dim where">
        haft <Text value={now.version} /> in <Text value={now.folder} />
      </p>
    </>
  );
}

function Figure({
  name,
  value,
  note,
  href,
  strong = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly href?: string;
  readonly strong?: boolean;
}): VNode {
  return (
    <div class="figure" data-strong={strong}>
      <dt>{name}</dt>
      <dd>
        {href === undefined ? value : <a href={href}>{value}</a>}
        {note !== undefined && <small class="dim">{note}</small>}
      </dd>
    </div>
  );
}

function RunningCall({
  call,
  reload,
}: {
  readonly call: NowAnswer["running"][number];
  readonly reload: () => void;
}): VNode {
  const act = useAct();
  return (
    <li>
      <a href={toHref(`calls/${encodeURIComponent(call.callId)}`)}>
        <Text value={call.toolName} />
      </a>
      <span class="running-args dim">
        <Text value={call.paramsText.slice(0, 200)} oneLine />
      </span>
      <span class="dim running-by">
        <Text value={call.agentId ?? call.client?.name ?? call.channel ?? ""} />
      </span>
      <a
        class="took"
        href={toHref(`trace/${encodeURIComponent(call.callId)}`)}
        title="What it waited for: its trace"
      >
        <Since at={call.startedAt} />
      </a>
      <GuardedButton
        class="quiet"
        disabled={act.busy || act.done !== undefined}
        act={() =>
          act.run(async () => {
            const { cancelled } = await ask("POST /calls/:id/cancel", { segments: { id: call.callId } });
            reload();
            return cancelled ? "Told to stop" : "It has ended";
          })
        }
      >
        {act.done !== undefined ? (
          <Text value={act.done} />
        ) : (
          <>
            Cancel
            <span class="unseen">
              {" "}
              the call of <Text value={call.toolName} oneLine />
            </span>
          </>
        )}
      </GuardedButton>
      {act.fault !== undefined && <Fault fault={act.fault} />}
    </li>
  );
}
