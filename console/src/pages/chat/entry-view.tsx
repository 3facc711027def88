import type { ComponentChildren, VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { parseJson } from "../../../../src/base/index.ts";
import { Arguments } from "../../parts/arguments.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { hasMarks, Markdown } from "../../text/markdown.tsx";
import { LongText, Text } from "../../text/text.tsx";
import type { Entry, EntryOf, Result } from "./types.ts";
import { UserParts } from "./user-parts.tsx";
import { Words } from "./words.tsx";

type CallPart = Extract<EntryOf<"answer">["message"]["parts"][number], { readonly type: "call" }>;

/** Maximum length of an answer that is shown as Markdown, in characters. */
const markdownChars = 20_000;

/** One entry of a session. Results are shown with their calls. */
export function EntryView({
  entry,
  results,
  isOpen,
  fork,
}: {
  readonly entry: Entry;
  /** Results of calls by their ids. */
  readonly results: ReadonlyMap<string, Result>;
  /** Whether a run is under way that may still make calls that have no result. */
  readonly isOpen: boolean;
  /** Begins another session with what was said up to here. @default no button does */
  readonly fork?: (upTo: number) => void;
}): VNode | null {
  const forking = fork === undefined ? {} : { fork };
  switch (entry.kind) {
    case "user":
      return (
        <Said
          who={entry.sender === undefined || entry.sender === "user" ? "You" : entry.sender}
          kind="user"
          entry={entry}
          {...forking}
        >
          <UserParts parts={entry.parts} />
        </Said>
      );
    case "answer":
      return <Answer entry={entry} results={results} isOpen={isOpen} {...forking} />;
    case "result":
      return <ResultAlone result={entry} />;
    case "note":
      return (
        <Aside word={`note: ${entry.about}`}>
          <Text value={entry.text} />
        </Aside>
      );
    case "summary":
      return (
        <Aside word="what was before, in short">
          <Text value={entry.text} />
        </Aside>
      );
    case "prune":
      return <p class="aside dim">Older results are shown to the model in one line each from here on.</p>;
    case "parked":
      return (
        <p class="aside dim">
          Waits for <Text value={entry.waitFor} oneLine />
        </p>
      );
    case "interrupt":
      return (
        <p class="aside dim">
          Stopped by <Text value={entry.sender} oneLine />
        </p>
      );
    default:
      return entry satisfies never;
  }
}

function Said({
  who,
  kind,
  entry: { seq, at },
  fork,
  children,
}: {
  readonly who: string;
  readonly kind: "user" | "answer";
  readonly entry: Pick<Entry, "seq" | "at">;
  readonly fork?: (upTo: number) => void;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <article class="said" data-kind={kind} id={`entry-${seq}`}>
      <header class="said-head">
        <strong>
          <Text value={who} oneLine />
        </strong>
        <span class="dim">
          <Time at={at} />
        </span>
        {fork !== undefined && (
          <button type="button" class="quiet" onClick={() => fork(seq)}>
            Fork
            <span class="unseen"> the session after entry {seq}</span>
          </button>
        )}
      </header>
      {children}
    </article>
  );
}

function Aside({ word, children }: { readonly word: string; readonly children: ComponentChildren }): VNode {
  return (
    <details class="aside">
      <summary>
        <Text value={word} oneLine />
      </summary>
      <div class="words">{children}</div>
    </details>
  );
}

export function Thoughts({ text }: { readonly text: string }): VNode {
  return (
    <details class="thoughts">
      <summary>Thoughts</summary>
      <Words text={text} label="Thoughts" />
    </details>
  );
}

function Answer({
  entry,
  results,
  isOpen,
  fork,
}: {
  readonly entry: EntryOf<"answer">;
  readonly results: ReadonlyMap<string, Result>;
  readonly isOpen: boolean;
  readonly fork?: (upTo: number) => void;
}): VNode {
  const { message, runId, step, model, stop } = entry;
  const [asWritten, setAsWritten] = useState(false);
  let position = 0;
  const parts = message.parts.map((part, at) => {
    if (part.type === "text")
      return part.text === "" ? null : asWritten || part.text.length > markdownChars ? (
        <Words key={at} text={part.text} label="What the agent said" />
      ) : (
        <Markdown key={at} text={part.text} />
      );
    if (part.type === "reasoning") return part.text === "" ? null : <Thoughts key={at} text={part.text} />;
    position++;
    const callId = `${runId}.${step}.${position}`;
    return <Call key={callId} callId={callId} call={part} result={results.get(callId)} isOpen={isOpen} />;
  });
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const marks = useMemo(() => text.length <= markdownChars && hasMarks(text), [text]);
  return (
    <Said who={model} kind="answer" entry={entry} {...(position === 0 && fork !== undefined && { fork })}>
      {parts}
      {stop === "length" && <p class="warning">It was cut off: it reached the longest answer there is.</p>}
      {stop === "refused" && <p class="warning">The model refused to answer.</p>}
      {(marks || text.length > 200) && (
        <p class="said-foot">
          <CopyButton text={text} label="the answer" />
          {marks && (
            <button type="button" class="quiet" onClick={() => setAsWritten(!asWritten)}>
              {asWritten ? "Show as Markdown" : "Show as written"}
            </button>
          )}
        </p>
      )}
    </Said>
  );
}

function Call({
  callId,
  call,
  result,
  isOpen,
}: {
  readonly callId: string;
  readonly call: CallPart;
  readonly result: Result | undefined;
  readonly isOpen: boolean;
}): VNode {
  const input = parseJson(call.input);
  const state = result === undefined ? (isOpen ? "started" : "cancelled") : toState(result);
  return (
    <details class="chat-call">
      <summary>
        <StateMark state={state} code={result?.code} />
        <strong>
          <Text value={call.name} oneLine />
        </strong>
        <span class="chat-call-input">
          <Text value={call.input.slice(0, 200)} oneLine />
        </span>
      </summary>
      <div class="chat-call-body">
        {input === undefined ? (
          <LongText value={call.input} label="Arguments as the model wrote them" />
        ) : (
          <Arguments params={input} />
        )}
        {result !== undefined && (
          <>
            {result.code !== undefined && (
              <p>
                <code>
                  <Text value={result.code} />
                </code>
              </p>
            )}
            <LongText value={result.text} label="Result" colours />
          </>
        )}
        <p>
          <a href={toHref(`calls/${encodeURIComponent(callId)}`)}>This call in the ledger</a>
        </p>
      </div>
    </details>
  );
}

/** A result whose call is not among the entries that are shown. */
function ResultAlone({ result }: { readonly result: Result }): VNode {
  return (
    <details class="chat-call">
      <summary>
        <StateMark state={toState(result)} code={result.code} />
        <strong>
          <Text value={result.name} oneLine />
        </strong>
      </summary>
      <div class="chat-call-body">
        <LongText value={result.text} label="Result" colours />
        <p>
          <a href={toHref(`calls/${encodeURIComponent(result.callId)}`)}>This call in the ledger</a>
        </p>
      </div>
    </details>
  );
}

function toState({ failed, code }: Result): string {
  if (!failed) return "completed";
  return code?.includes("DENIED") === true ? "denied" : "failed";
}
