import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { parseJson, shellWord } from "../../../../src/base/index.ts";
import type { CallDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { tellChange, useLive } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Arguments } from "../../parts/arguments.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { type FactEntry, Facts } from "../../parts/facts.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Since, Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCounted, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import type { CallRecord } from "./call-types.ts";
import { Decision } from "./decision.tsx";
import { Proof } from "./proof.tsx";
import { Replay } from "./replay.tsx";
import { writeCommand, writeTest } from "./write-forms.ts";

/** One call: what was to be done, what came of it, why it was allowed, and what can be done about it. */
export function CallPage({ id }: { readonly id: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /calls/:id", { segments: { id } });
  const timer = useRef(0);
  useLive(({ events, all }) => {
    const inner = answer?.inner.map(({ callId }) => callId) ?? [];
    const isOpen = answer?.call.state === "started";
    if (
      timer.current !== 0 ||
      !(all || isOpen || events.some((event) => event.id === id || inner.includes(event.id)))
    )
      return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      reload();
    }, 300);
  });
  const command = answer?.command ?? `haft audit ${shellWord(id)}`;
  return (
    <Page
      title={answer === undefined ? "Call" : `Call of ${answer.call.toolName}`}
      command={command}
      class="call-page"
      head={answer && <CallHead call={answer.call} />}
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? fault === undefined && <Loading /> : <Detail detail={answer} reload={reload} />}
    </Page>
  );
}

function CallHead({ call }: { readonly call: CallRecord }): VNode {
  return (
    <p class="call-head">
      <StateMark state={call.state} code={call.code} />
      {call.code !== undefined && (
        <code>
          <Text value={call.code} />
        </code>
      )}
      <Time at={call.startedAt} />
      <span class="dim">
        {call.state === "started" ? (
          <Since at={call.startedAt} />
        ) : call.durationMs === undefined ? (
          ""
        ) : (
          formatMs(call.durationMs)
        )}
      </span>
    </p>
  );
}

function Detail({ detail, reload }: { readonly detail: CallDetail; readonly reload: () => void }): VNode {
  const { call, inner, undoable } = detail;
  return (
    <div class="call-columns">
      <div class="call-main">
        <Section
          title="Arguments"
          aside={!call.erased && <CopyButton text={call.paramsText} label="the arguments" />}
        >
          {call.erased ? (
            <p class="dim">
              Arguments and result were erased. The chain still proves that the call was made.
            </p>
          ) : (
            <CallArguments text={call.paramsText} />
          )}
        </Section>
        {call.summary !== undefined && (
          <Section title="Result" aside={<CopyButton text={call.summary} label="the result" />}>
            <LongText value={call.summary} label="How the result begins" colours />
            {call.artifactId !== undefined && (
              <p>
                <a href={toOutputHref(call)}>The whole output</a>
              </p>
            )}
          </Section>
        )}
        {call.notes.length > 0 && (
          <Section title="Notes">
            <ul class="notes">
              {call.notes.map((note) => (
                <li key={note}>
                  <Text value={note} />
                </li>
              ))}
            </ul>
          </Section>
        )}
        {inner.length > 0 && (
          <Section title={`It led to ${formatCounted(inner.length, "call")}`}>
            <InnerCalls calls={inner} />
          </Section>
        )}
      </div>
      <aside class="call-side" aria-label="About the call">
        <Section title="Decision">
          <Decision call={call} />
        </Section>
        <Actions call={call} undoable={undoable} reload={reload} />
        {call.state !== "started" && <Replay call={call} />}
        <Section title="Circumstances">
          <Facts facts={listFacts(call)} />
        </Section>
        <Section title="Proof">
          <Proof call={call} />
        </Section>
      </aside>
    </div>
  );
}

/** Long arguments were cut when they were recorded: those are no JSON any more. */
function CallArguments({ text }: { readonly text: string }): VNode {
  const params = parseJson(text);
  return params === undefined ? <LongText value={text} label="Arguments" /> : <Arguments params={params} />;
}

function InnerCalls({ calls }: { readonly calls: readonly CallRecord[] }): VNode {
  return (
    <ol class="inner-calls">
      {calls.map((call) => (
        <li key={call.seq}>
          <a href={toHref(`calls/${encodeURIComponent(call.callId)}`)}>
            <Text value={call.toolName} />
          </a>
          <StateMark state={call.state} code={call.code} />
          <span class="took">{call.durationMs === undefined ? "" : formatMs(call.durationMs)}</span>
          <span class="dim inner-args">
            <Text value={call.paramsText.slice(0, 200)} oneLine />
          </span>
        </li>
      ))}
    </ol>
  );
}

function listFacts(call: CallRecord): readonly FactEntry[] {
  const filter = (name: string, value: string | undefined, label = value) =>
    value !== undefined && (
      <a href={toHref("calls", { [name]: value })} title="Calls with the same">
        <Text value={label ?? ""} />
      </a>
    );
  const { client, parent, rootCallId } = call;
  return [
    ["Made by", parent && <CallLink id={parent.callId} name={parent.toolName} />],
    [
      "Outermost",
      rootCallId !== undefined && rootCallId !== parent?.callId && (
        <CallLink id={rootCallId} name={rootCallId} />
      ),
    ],
    [
      "Tool",
      filter(
        "tools",
        call.toolName,
        call.toolVersion === undefined ? call.toolName : `${call.toolName} ${call.toolVersion}`,
      ),
    ],
    ["Agent", filter("agentId", call.agentId)],
    ["User", call.userId && <Text value={call.userId} />],
    ["Channel", call.channel && <Text value={call.channel} />],
    ["Client", client && filter("client", client.name, `${client.name} ${client.version}`.trim())],
    ["Session", filter("session", call.session)],
    ["Folder", filter("project", call.project)],
    ["Task", filter("taskId", call.taskId)],
    ["Scope", <Text key="scope" value={call.scope} />],
    ["Process", filter("runId", call.runId)],
    [
      "Output",
      call.artifactId && (
        <a href={toOutputHref(call)}>
          <Text value={call.artifactId} />
        </a>
      ),
    ],
    ["Call", <Text key="call" value={call.callId} />],
  ];
}

function toOutputHref({ callId }: CallRecord): string {
  return toHref(`calls/${encodeURIComponent(callId)}/output`);
}

function CallLink({ id, name }: { readonly id: string; readonly name: string }): VNode {
  return (
    <a href={toHref(`calls/${encodeURIComponent(id)}`)}>
      <Text value={name} />
    </a>
  );
}

function Actions({
  call,
  undoable,
  reload,
}: {
  readonly call: CallRecord;
  readonly undoable: CallDetail["undoable"];
  readonly reload: () => void;
}): VNode {
  const act = useAct();
  const segments = { id: call.callId };
  const changed = () => {
    reload();
    tellChange({ kind: "call", id: call.callId });
  };
  const command = writeCommand(call);
  const test = writeTest(call);
  return (
    <Section title="Actions">
      <div class="actions">
        {call.state === "started" && (
          <GuardedButton
            disabled={act.busy}
            act={() =>
              act.run(async () => {
                const { cancelled, elsewhere } = await ask("POST /calls/:id/cancel", { segments });
                changed();
                if (elsewhere) return "The program that makes the call was told to stop it.";
                return cancelled ? "The call was told to stop." : "The call had ended already.";
              })
            }
          >
            Cancel the call
          </GuardedButton>
        )}
        {undoable.length > 0 && (
          <GuardedButton
            disabled={act.busy}
            act={() =>
              act.run(async () => {
                const { text } = await ask("POST /calls/:id/undo", { segments });
                changed();
                return text;
              })
            }
          >
            Undo its changes of {formatCounted(undoable.length, "file")}
          </GuardedButton>
        )}
        <a href={toHref(`trace/${encodeURIComponent(call.callId)}`)}>See where its time went</a>
        {command !== undefined && <CopyButton text={command} label="of this call" show="Copy as a command" />}
        {test !== undefined && (
          <CopyButton text={test} label="of what was decided" show="Copy as a policy test" />
        )}
      </div>
      {undoable.length > 0 && (
        <ul class="undoable">
          {undoable.map(({ path, change }) => (
            <li key={path}>
              <span class="dim">
                <Text value={change} />
              </span>{" "}
              <Text value={path} />
            </li>
          ))}
        </ul>
      )}
      {call.stillRunning && <p class="warning">It did not stop when it was told to.</p>}
      {act.done !== undefined && (
        <p class="done">
          <Text value={act.done} />
        </p>
      )}
      {act.fault !== undefined && <Fault fault={act.fault} />}
    </Section>
  );
}
