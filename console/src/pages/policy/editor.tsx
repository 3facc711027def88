import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, ask, type RequestFault, toFault } from "../../net/api.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { needsPin, PinField } from "../../parts/owner-pin.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { LongText, Text } from "../../text/text.tsx";
import { writeRuleItem } from "../calls/write-forms.ts";
import { CodeArea } from "./code-area.tsx";
import { Differences } from "./differences.tsx";
import { appendRules, findFaultLine, takeDraft } from "./draft.ts";

type Own = AnswerTo<"GET /policy">["own"];

/** How long nothing is typed before the rules are checked. */
const restMs = 500;
const lasts = [100, 500, 2000, 5000] as const;

/** The rules of the user's own file. A call or a question brings a rule that would allow it. */
export function Editor({
  callId,
  questionId,
}: {
  readonly callId: string | undefined;
  readonly questionId: string | undefined;
}): VNode {
  const { answer, fault, reload } = useAnswer("GET /policy");
  const [seed, setSeed] = useState<{ readonly rules?: string | undefined; readonly fault?: RequestFault }>();
  useEffect(() => {
    readSeed(callId, questionId).then(
      (rules) => setSeed({ rules }),
      (error: unknown) => setSeed({ fault: toFault(error) }),
    );
  }, [callId, questionId]);
  if (answer === undefined || seed === undefined)
    return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  return (
    <>
      {seed.fault !== undefined && <Fault fault={seed.fault} />}
      <RuleEditor own={answer.own} seed={seed.rules} />
    </>
  );
}

async function readSeed(callId?: string, questionId?: string): Promise<string | undefined> {
  if (callId !== undefined) {
    const { call } = await ask("GET /calls/:id", { segments: { id: callId } });
    return writeRuleItem(call);
  }
  if (questionId !== undefined) {
    const { question } = await ask("GET /questions/:id", { segments: { id: questionId } });
    const paramsText = JSON.stringify(question.params) ?? "";
    return writeRuleItem({ toolName: question.toolName, paramsText, erased: false });
  }
  return takeDraft();
}

function RuleEditor({ own: first, seed }: { readonly own: Own; readonly seed: string | undefined }): VNode {
  const [own, setOwn] = useState(first);
  const [text, setText] = useState(() => (seed === undefined ? first.text : appendRules(first.text, seed)));
  const [last, setLast] = useState(500);
  const [tried, setTried] = useState<{
    readonly text: string;
    readonly report: AnswerTo<"POST /policy/try">;
  }>();
  const [theirs, setTheirs] = useState<string>();
  const [pin, setPin] = useState("");
  const trying = useAct();
  const saving = useAct();
  const lint = useLint(text, own.text);
  const isChanged = text.trimEnd() !== own.text.trimEnd();
  const isTried = tried?.text === text;
  const line = lint === undefined ? undefined : findFaultLine(text, lint.error);
  const tryRules = () =>
    trying.run(async () => {
      const report = await ask("POST /policy/try", { body: { text, last } });
      setTried({ text, report });
      const { length } = report.differences;
      return length === 0 ? "No call would be decided otherwise." : "Some calls would be decided otherwise.";
    });
  const save = () =>
    saving.run(async () => {
      const body = { text, digest: own.digest, ...(pin !== "" && { pin }) };
      const written = await ask("POST /policy/save", { body });
      setOwn(written);
      setText(written.text);
      setTheirs(undefined);
      setPin("");
      return written.isPending
        ? "Saved. These rules are in force once haft serve is started again."
        : "Saved. These are the rules in force.";
    });
  const readTheirs = () =>
    trying.run(async () => {
      const { own: now } = await ask("GET /policy");
      setOwn(now);
      setTheirs(now.text);
      return "This is what the file has now. Saving replaces it with your text.";
    });
  return (
    <div class="editor">
      <p class="dim">
        Rules of <Text value={own.file} />, a list in YAML. Comments stay. They are in force from the next
        start of haft; <a href={toHref("policy/explain")}>Explain</a> finds the narrowest rule for a call.
      </p>
      <CodeArea
        text={text}
        change={setText}
        label="Rules, in YAML"
        {...(line !== undefined && { faultLine: line })}
        describedBy="rules-lint"
        readOnly={saving.busy}
      />
      <div id="rules-lint" class="lint" role="status">
        {lint === undefined ? (
          <span class="dim">{isChanged ? "These rules can be used." : "Nothing is changed."}</span>
        ) : (
          <span class="failed-word">
            ✕ {line !== undefined && `Line ${line}: `}
            <Text value={lint.error} /> <code>{lint.code}</code>
          </span>
        )}
      </div>
      <div class="editor-bar">
        <button type="button" disabled={trying.busy || lint !== undefined} onClick={tryRules}>
          What would change
        </button>
        <label>
          <span class="dim">of the last</span>{" "}
          <select value={last} onChange={(event) => setLast(Number(event.currentTarget.value))}>
            {lasts.map((count) => (
              <option key={count} value={count}>
                {count.toLocaleString("en")}
              </option>
            ))}
          </select>{" "}
          <span class="dim">calls</span>
        </label>
        <span class="editor-save">
          {needsPin(saving.fault) && <PinField pin={pin} change={setPin} />}
          <GuardedButton class="primary" disabled={saving.busy || !isChanged || !isTried} act={save}>
            Save
          </GuardedButton>
        </span>
      </div>
      {isChanged && !isTried && lint === undefined && (
        <p class="dim">Look at what would change first; then it can be saved.</p>
      )}
      {saving.done !== undefined && !isChanged && <p class="done">{saving.done}</p>}
      {saving.fault !== undefined && (
        <>
          <Fault fault={saving.fault} />
          {saving.fault.code === "CONSOLE_CHANGED" && theirs === undefined && (
            <button type="button" onClick={readTheirs}>
              Show what the file has now
            </button>
          )}
        </>
      )}
      {theirs !== undefined && (
        <Section
          title="The file has now"
          aside={
            <button type="button" class="quiet" onClick={() => setText(theirs)}>
              Take this instead of mine
            </button>
          }
        >
          <LongText value={theirs} label="The rules that the file has now" />
        </Section>
      )}
      {trying.fault !== undefined && <Fault fault={trying.fault} />}
      {isTried && tried !== undefined && <Differences report={tried.report} />}
    </div>
  );
}

/** What is wrong with the rules; asked for when nothing was typed for a while. */
function useLint(text: string, saved: string): RequestFault | undefined {
  const [known, setKnown] = useState<RequestFault>();
  const isFirst = useRef(true);
  useEffect(() => {
    if (text === saved && isFirst.current) return;
    isFirst.current = false;
    const run = new AbortController();
    const timer = setTimeout(() => {
      ask("POST /policy/try", { body: { text, last: 1 } }, run.signal).then(
        () => setKnown(undefined),
        (error: unknown) => {
          if (!run.signal.aborted) setKnown(toFault(error));
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      run.abort();
    };
  }, [text]);
  return known;
}
