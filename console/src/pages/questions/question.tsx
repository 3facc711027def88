import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import type { QuestionAnswer, QuestionDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { tellChange, useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { type FactEntry, Facts } from "../../parts/facts.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { needsPin } from "../../parts/owner-pin.tsx";
import { Section } from "../../parts/section.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { now, Since, Time } from "../../parts/time.tsx";
import { type Act, useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { Diff } from "./diff.tsx";
import { Effects, isDangerous, ToolName } from "./effects.tsx";
import { ExactCall } from "./exact-call.tsx";
import { describeTerm, Offers, type Remembered } from "./offers.tsx";

type Question = QuestionDetail["question"];

/** One question with all that a person needs to answer it, and the answer. */
export function QuestionView({
  id,
  next,
  toQuestion,
}: {
  readonly id: string;
  /** Another question that waits. */
  readonly next: string | undefined;
  readonly toQuestion: (id: string) => string;
}): VNode {
  const { answer, fault, reload } = useAnswer("GET /questions/:id", { segments: { id } });
  useLiveReload(["question"], reload, 300);
  const act = useAct();
  const [remember, setRemember] = useState<Remembered>();
  const [typed, setTyped] = useState("");
  if (answer === undefined)
    return (
      <div class="split-detail">
        {fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />}
      </div>
    );
  const { question, diff, covered } = answer;
  const isOpen = question.state === "pending" && question.expiresAt > now.value;
  const mustType = remember?.term === "always" && isDangerous(question.effects);
  return (
    <article class="split-detail question" aria-label={`Question of ${showInvisible(question.toolName)}`}>
      <div class="question-body">
        <a class="back" href={toHref("questions")}>
          All questions
        </a>
        <h2>
          <ToolName name={question.toolName} /> asks for your yes
        </h2>
        {question.toolTitle !== question.toolName && (
          <p class="dim">
            <Text value={question.toolTitle} />
          </p>
        )}
        <Section title="It will">
          <Effects effects={question.effects} />
        </Section>
        <Section
          title="With exactly"
          aside={<CopyButton text={JSON.stringify(question.params, null, 2) ?? ""} label="the arguments" />}
        >
          {/* The box has one height, so that nothing below it moves. */}
          <div class="exact-box">
            <ExactCall params={question.params} />
          </div>
        </Section>
        {diff !== undefined && diff !== "" && (
          <Section title="Files would change so">
            <Diff diff={diff} />
          </Section>
        )}
        <Section title="Why it asks">
          <p>
            <Text value={question.reason} />
          </p>
        </Section>
        {isOpen && (
          <Section title="What a yes is for">
            <Offers offers={question.offers} covered={covered} chosen={remember} choose={setRemember} />
            <p class="dim">
              Or <a href={toHref("policy/edit", { question: id })}>allow it by a rule</a>, after a look at
              what else the rule would change.
            </p>
            {mustType && (
              <label class="type-name">
                <span>
                  This allows something that can do harm, for good. Type the tool's name,{" "}
                  <Text value={question.toolName} />:
                </span>
                <input
                  value={typed}
                  autoComplete="off"
                  spellcheck={false}
                  onInput={(event) => setTyped(event.currentTarget.value)}
                />
              </label>
            )}
          </Section>
        )}
        <Section title="Who asks, and where">
          <Facts facts={listFacts(question)} />
        </Section>
      </div>
      <AnswerBar
        question={question}
        isOpen={isOpen}
        isReady={!mustType || typed === question.toolName}
        remember={remember}
        act={act}
        send={(body) =>
          act.run(async () => {
            await ask("POST /questions/:id/answer", { segments: { id }, body });
            reload();
            tellChange({ kind: "question", id });
            return body.decision === "approve" ? "You said yes." : "You said no.";
          })
        }
        next={next === undefined ? undefined : toQuestion(next)}
      />
    </article>
  );
}

/** Yes and no: they stand at the end of the page whatever is above them, and stay there when they can't be used any more. */
function AnswerBar({
  question,
  isOpen,
  isReady,
  remember,
  act,
  send,
  next,
}: {
  readonly question: Question;
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly remember: Remembered | undefined;
  readonly act: Act;
  readonly send: (answer: QuestionAnswer) => void;
  readonly next: string | undefined;
}): VNode {
  const [reason, setReason] = useState("");
  const [pin, setPin] = useState("");
  // A yes needs the owner's PIN, where there is one: it is asked for where the reason stands, so that nothing moves.
  const wantsPin = needsPin(act.fault);
  const off = !isOpen || act.busy || act.done !== undefined;
  return (
    <div class="answer-bar">
      <div class="answer-state">
        {act.fault !== undefined ? (
          <Fault fault={act.fault} />
        ) : (
          <>
            <Standing question={question} done={act.done} />
            {!isOpen && next !== undefined && <a href={next}>Next question</a>}
          </>
        )}
      </div>
      <div class="answer-buttons">
        <GuardedButton
          class="yes"
          disabled={off || !isReady}
          act={() =>
            send({
              decision: "approve",
              digest: question.digest,
              ...(pin !== "" && { pin }),
              ...(remember !== undefined && { remember }),
            })
          }
        >
          Yes, {describeTerm(remember?.term)}
        </GuardedButton>
        <GuardedButton
          class="no"
          disabled={off}
          act={() => send({ decision: "deny", ...(reason.trim() !== "" && { reason: reason.trim() }) })}
        >
          No
        </GuardedButton>
        {wantsPin ? (
          <input
            key="pin"
            type="password"
            class="reason"
            aria-label="The owner's PIN"
            placeholder="The owner's PIN, then Yes"
            value={pin}
            autoComplete="off"
            onInput={(event) => setPin(event.currentTarget.value)}
          />
        ) : (
          <input
            key="reason"
            class="reason"
            aria-label="Reason for a no"
            placeholder="Reason for a no, which the agent reads"
            value={reason}
            disabled={off}
            autoComplete="off"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </div>
    </div>
  );
}

/** Whether, and for how long, it can be answered; what was answered. */
function Standing({
  question,
  done,
}: {
  readonly question: Question;
  readonly done: string | undefined;
}): VNode {
  const { state, answer, expiresAt, waitsUntil, withdrawn } = question;
  if (answer !== undefined)
    return (
      <span>
        <StateMark state={state} /> {answer.approved ? "Yes" : "No"}, by <Text value={answer.by} />
        {answer.approved === false && answer.reason !== undefined && (
          <>
            : <Text value={answer.reason} />
          </>
        )}
      </span>
    );
  if (done !== undefined) return <span>{done}</span>;
  const left = expiresAt - now.value;
  if (state !== "pending" || left <= 0)
    return (
      <span>
        <StateMark state={state === "pending" ? "expired" : state} />{" "}
        {withdrawn === undefined ? (
          "Nobody answered in time."
        ) : (
          <>
            Taken back: <Text value={withdrawn} />.
          </>
        )}
      </span>
    );
  const waits = waitsUntil !== undefined && waitsUntil > now.value;
  return (
    <span>
      {waits ? "A call waits." : "No call waits any more: a yes is for the same call, made again."}{" "}
      <span class="dim">Expires in {formatMs(Math.floor(left / 1000) * 1000)}</span>
    </span>
  );
}

function listFacts(question: Question): readonly FactEntry[] {
  const { origin } = question;
  return [
    ["Folder", question.folder && <Text value={question.folder} />],
    [
      "Project",
      question.project !== question.folder && question.project && <Text value={question.project} />,
    ],
    ["Agent", question.agentId && <Text value={question.agentId} />],
    ["For", question.userId && <Text value={question.userId} />],
    ["Channel", origin && <Text value={[origin.channel, origin.client?.name].filter(Boolean).join(", ")} />],
    ["Identity", origin?.principal && <Text value={origin.principal} />],
    ["Scope", <Text key="scope" value={question.scope} />],
    ["May answer", <Text key="approvers" value={question.approvers.join(", ") || "nobody"} />],
    [
      "Asked",
      <span key="asked">
        <Time at={question.createdAt} /> (<Since at={question.createdAt} /> ago)
      </span>,
    ],
    [
      "Call",
      <a key="call" href={toHref(`calls/${encodeURIComponent(question.callId)}`)}>
        <Text value={question.callId} />
      </a>,
    ],
    [
      "Used by",
      question.usedBy && (
        <a href={toHref(`calls/${encodeURIComponent(question.usedBy)}`)}>
          <Text value={question.usedBy} />
        </a>
      ),
    ],
  ];
}
