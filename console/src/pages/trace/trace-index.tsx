import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Section } from "../../parts/section.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";

/** The address of a trace. */
export function toTraceHref(id: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  return toHref(`trace/${encodeURIComponent(id)}`, query);
}

/** Conversations and calls whose traces can be opened. */
export function TraceIndex(): VNode {
  const calls = useAnswer("GET /calls", { query: { limit: "20" } });
  const sessions = useAnswer("GET /chat/sessions", { query: { limit: "10" } });
  useLiveReload(
    ["call", "session", "run"],
    () => {
      calls.reload();
      sessions.reload();
    },
    2000,
  );
  const fault = calls.fault ?? sessions.fault;
  const conversations = sessions.answer?.filter(({ run }) => run !== null) ?? [];
  const rows = calls.answer?.rows ?? [];
  return (
    <Page title="Trace" command="haft audit && haft sessions" class="trace-index" head={<OpenForm />}>
      {fault !== undefined && <Fault fault={fault} retry={calls.reload} />}
      {calls.answer === undefined && fault === undefined && <Loading />}
      {conversations.length > 0 && (
        <Section title="Conversations">
          <ul class="trace-links">
            {conversations.map(({ id, title, run, changedAt }) => (
              <li key={id}>
                <a href={toTraceHref(id)}>
                  <Text value={title || id} oneLine />
                </a>
                <StateMark state={run?.state ?? ""} />
                <Time at={changedAt} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {rows.length > 0 && (
        <Section title="Calls">
          <ul class="trace-links">
            {rows.map(({ seq, callId, toolName, state, startedAt, durationMs }) => (
              <li key={seq}>
                <a href={toTraceHref(callId)}>
                  <Text value={toolName} oneLine />
                </a>
                <StateMark state={state} />
                <span>
                  <Time at={startedAt} />
                  {durationMs !== undefined && <span class="dim"> {formatMs(durationMs)}</span>}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {calls.answer !== undefined && rows.length === 0 && conversations.length === 0 && (
        <Empty title="Nothing was done yet">
          <p>
            A trace shows where the time of a call, a script or a run went. Start one with{" "}
            <code>haft run "…"</code>, <code>haft chat</code> or <code>haft call TOOL</code>; it is listed
            here.
          </p>
        </Empty>
      )}
    </Page>
  );
}

function OpenForm(): VNode {
  const [id, setId] = useState("");
  return (
    <form
      class="trace-open"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") go(toTraceHref(id.trim()));
      }}
    >
      <input
        aria-label="ID of a call, run or conversation"
        placeholder="ID of a call, run or conversation"
        value={id}
        data-search
        onInput={(event) => setId(event.currentTarget.value)}
      />
      <button type="submit">Open</button>
    </form>
  );
}
