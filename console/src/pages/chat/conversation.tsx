// The styles of questions come first: a question stands within a session, too.
import "../questions/questions.css";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ask } from "../../net/api.ts";
import { Fault, Loading } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { go, toHref } from "../../shell/address.ts";
import { say } from "../../shell/live-region.tsx";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted, formatMicros } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { Composer } from "./composer.tsx";
import { EntryView, Thoughts } from "./entry-view.tsx";
import type { LiveAnswer } from "./live-answer.ts";
import { RunMark } from "./run-mark.tsx";
import { RunQuestions } from "./run-questions.tsx";
import { describeWhy, isUnderWay } from "./run-state.ts";
import type { EntryOf, Result, Run } from "./types.ts";
import { useEntries } from "./use-entries.ts";
import { type Following, useLiveAnswer } from "./use-live-answer.ts";
import { describeParts } from "./user-parts.tsx";
import { Words } from "./words.tsx";

/** One session: what was said, what is being said, and what can be said. */
export function Conversation({ id, command }: { readonly id: string; readonly command: string }): VNode {
  const { page, window, fault, refresh, showOlder, showNewer, showNewest } = useEntries(id);
  const run = page?.run ?? null;
  const open = run !== null && isUnderWay(run);
  const { live, following } = useLiveAnswer(open ? run.id : undefined, refresh);
  const forking = useAct();
  const results = useMemo(
    () =>
      new Map<string, Result>([
        ...live.results,
        ...window.rows.flatMap((entry): (readonly [string, Result])[] =>
          entry.kind === "result" ? [[entry.callId, entry]] : [],
        ),
      ]),
    [window, live.results],
  );
  const withCalls = useMemo(
    () => new Set(window.rows.flatMap((entry) => (entry.kind === "answer" ? listCallIds(entry) : []))),
    [window],
  );
  const log = useStickToEnd(page !== undefined);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open)
      say(run?.state === "completed" ? "The agent has answered." : "The run has stopped.");
    wasOpen.current = open;
  }, [open]);
  const fork = (upTo: number) =>
    forking.run(async () => {
      const copy = await ask("POST /chat/sessions/:id/fork", { segments: { id }, body: { upTo } });
      go(toHref(`chat/${encodeURIComponent(copy.id)}`));
      return "This is the fork: what is said here is not said there.";
    });
  const title = page?.session.title ?? (page === undefined ? "Session" : "Session without a title");
  return (
    <Page
      title={title}
      command={command}
      class="chat-page"
      head={
        <span class="chat-head">
          <RunMark run={run} />
          <a href={toHref("chat")}>All sessions</a>
        </span>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={() => void showNewest()} />}
      {forking.fault !== undefined && <Fault fault={forking.fault} />}
      {page === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <>
          <div class="chat-log" ref={log} tabIndex={0} role="region" aria-label="What was said">
            {window.older && (
              <button type="button" class="quiet chat-more" onClick={() => void showOlder()}>
                Show older entries
              </button>
            )}
            {window.rows.map((entry) =>
              entry.kind === "result" && withCalls.has(entry.callId) ? null : (
                <EntryView
                  key={entry.seq}
                  entry={entry}
                  results={results}
                  isOpen={open && entry.runId === run?.id}
                  fork={fork}
                />
              ),
            )}
            {window.rows.length === 0 && <p class="dim">Nothing was said yet.</p>}
            {window.newer ? (
              <p class="chat-more">
                <button type="button" class="quiet" onClick={() => void showNewer()}>
                  Show newer entries
                </button>{" "}
                <button type="button" class="quiet" onClick={() => void showNewest()}>
                  Go to the newest
                </button>
              </p>
            ) : (
              <Live live={live} following={following} />
            )}
            {run !== null && <RunQuestions runId={run.id} />}
            {page.waiting.map(({ id: message, parts, how }) => (
              <p key={message} class="aside dim">
                Not read yet (<Text value={how} oneLine />
                ): <Text value={describeParts(parts)} />
              </p>
            ))}
          </div>
          {run !== null && <Status run={run} live={live} following={following} />}
          <Composer sessionId={id} run={run} changed={refresh} />
        </>
      )}
    </Page>
  );
}

function listCallIds({ message, runId, step }: EntryOf<"answer">): readonly string[] {
  return message.parts.filter(({ type }) => type === "call").map((_, at) => `${runId}.${step}.${at + 1}`);
}

/** The answer that is being given. */
function Live({
  live: { text, thoughts, note },
  following,
}: {
  readonly live: LiveAnswer;
  readonly following: Following;
}): VNode | null {
  if (following !== "here" && note === undefined) return null;
  return (
    <>
      {(text !== "" || thoughts !== "") && (
        <article class="said" data-kind="answer" data-live="true">
          {thoughts !== "" && <Thoughts text={thoughts} />}
          {text !== "" && <Words text={text} label="What the agent says" />}
        </article>
      )}
      {note !== undefined && (
        <p class="aside warning">
          <Text value={note} />
        </p>
      )}
    </>
  );
}

/** One line with the state of the run. */
function Status({
  run,
  live,
  following,
}: {
  readonly run: Run;
  readonly live: LiveAnswer;
  readonly following: Following;
}): VNode {
  const tokens = live.inputTokens + live.outputTokens;
  return (
    <p class="chat-status dim">
      <span>{formatCounted(Math.max(run.steps, live.step), "step")}</span>
      {tokens > 0 && (
        <span title={`${formatCount(live.inputTokens)} asked, ${formatCount(live.outputTokens)} answered`}>
          {formatCount(tokens)} tokens
        </span>
      )}
      {tokens > 0 && (
        <span>
          {formatMicros(live.costMicros)}
          {live.unpriced && " and requests of unknown price"}
        </span>
      )}
      {live.calls.length > 0 && (
        <span>
          runs <Text value={live.calls.map(({ name }) => name).join(", ")} oneLine />
        </span>
      )}
      {following === "elsewhere" && (
        <span>another program drives it: its entries come as they are whole</span>
      )}
      {run.why !== undefined && run.state !== "completed" && (
        <span>
          <Text value={describeWhy(run.why)} oneLine />
        </span>
      )}
      <a href={toHref("calls", { taskId: run.id })}>Its calls</a>
      <a href={toHref(`trace/${encodeURIComponent(run.id)}`)}>Where its time went</a>
    </p>
  );
}

/** Keeps the end in view while somebody is there, and leaves those alone who read further up. */
function useStickToEnd(isThere: boolean): { current: HTMLDivElement | null } {
  const log = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = log.current;
    if (element === null) return;
    let sticks = true;
    const onScroll = () => {
      sticks = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    const toEnd = () => {
      if (sticks) element.scrollTop = element.scrollHeight;
    };
    const changes = new MutationObserver(toEnd);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    toEnd();
    return () => {
      changes.disconnect();
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [isThere]);
  return log;
}
