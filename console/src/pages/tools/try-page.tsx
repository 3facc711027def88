import "../../form/form.css";
import "../questions/questions.css";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type JsonSchema, shellWord } from "../../../../src/base/index.ts";
import { JsonBox } from "../../form/fields.tsx";
import { readJson, startValue } from "../../form/schema-fields.ts";
import { SchemaForm } from "../../form/schema-form.tsx";
import { useAnswer } from "../../net/use-answer.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { useHeldHeight } from "../../parts/use-held-height.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { Text } from "../../text/text.tsx";
import { QuestionView } from "../questions/question.tsx";
import { DecisionView } from "./decision-view.tsx";
import { ResultView } from "./result-view.tsx";
import { toToolHref } from "./tool-types.ts";
import { type Trial, useTrial } from "./use-trial.ts";

/** A form to try a tool: what would be decided of a call, then the call. */
export function TryPage({ name }: { readonly name: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /tools/:name", { segments: { name } });
  const [text, setText] = useState<string>();
  const schema = answer?.tool.parameters;
  const current = text ?? (schema === undefined ? "{}" : JSON.stringify(startValue(schema, schema), null, 2));
  const read = readJson(current);
  const params = "value" in read ? JSON.stringify(read.value) : undefined;
  const tool = answer?.tool.name ?? name;
  return (
    <Page
      title={`Try ${tool}`}
      command={`haft call ${shellWord(tool)} ${shellWord(params ?? "{}")}`}
      class="try-page"
      head={
        <a href={toToolHref(tool)}>
          About <Text value={tool} oneLine />
        </a>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : schema === undefined ? (
        <Fault
          fault={{
            error: "This tool can't be used: it has no schema. Tools says why it was put aside.",
            code: undefined,
          }}
        />
      ) : (
        <TryTool tool={tool} schema={schema} text={current} setText={setText} />
      )}
    </Page>
  );
}

function TryTool({
  tool,
  schema,
  text,
  setText,
}: {
  readonly tool: string;
  readonly schema: JsonSchema;
  readonly text: string;
  readonly setText: (text: string) => void;
}): VNode {
  const trial = useTrial(tool);
  const read = readJson(text);
  // The form shows the last value that was JSON, until the text is JSON again.
  const [last, setLast] = useState<unknown>(undefined);
  const isWrong = !("value" in read);
  const value = isWrong ? last : read.value;
  const change = (next: string) => {
    if ("value" in read) setLast(read.value);
    setText(next);
  };
  return (
    <>
      <div class="try-columns">
        <Section title="Arguments">
          {isWrong && (
            <p class="warning" role="status">
              The JSON beside is not finished. The form goes on once it is.
            </p>
          )}
          <fieldset class="try-form" disabled={isWrong} aria-label="Arguments as a form">
            <SchemaForm
              schema={schema}
              root={schema}
              value={value}
              label=""
              change={(next) => change(JSON.stringify(next, null, 2))}
            />
          </fieldset>
        </Section>
        <Section title="The same as JSON">
          <JsonBox text={text} change={change} label="Arguments as JSON" />
        </Section>
      </div>
      <Acts trial={trial} tool={tool} params={isWrong ? undefined : read.value} />
    </>
  );
}

function Acts({
  trial,
  tool,
  params,
}: {
  readonly trial: Trial;
  readonly tool: string;
  /** Undefined while the text is no JSON. */
  readonly params: unknown;
}): VNode {
  const { decided, deciding, running, result, fault, question } = trial;
  const text = params === undefined ? undefined : JSON.stringify(params);
  // What was decided is of the arguments it was asked about, and of no others.
  const isDecided = decided !== undefined && decided.text === text;
  const isDenied = isDecided && decided.answer.outcome === "deny";
  // The content below must not move the buttons: a guarded button that moves does not act.
  const outcome = useHeldHeight(text);
  return (
    <>
      <div class="try-acts">
        <button
          type="button"
          disabled={text === undefined || running}
          onClick={() => text !== undefined && trial.dryRun(text)}
        >
          Dry run
        </button>
        <GuardedButton
          class="primary"
          disabled={!isDecided || isDenied || deciding || running}
          act={() => text !== undefined && trial.run(text)}
        >
          Run
        </GuardedButton>
        {running && (
          <button type="button" onClick={trial.cancel}>
            Cancel
          </button>
        )}
        <span class="dim" role="status">
          {running
            ? question === undefined
              ? "It runs."
              : "It waits for your answer."
            : deciding
              ? "It is decided…"
              : isDenied
                ? "It would be refused."
                : isDecided
                  ? ""
                  : "A dry run says what would be decided. Nothing runs, and nobody is asked."}
        </span>
      </div>
      <div class="try-outcome" ref={outcome}>
        {fault !== undefined && <Fault fault={fault} />}
        {trial.cancelled && (
          <p>
            It was told to stop. What became of it is under{" "}
            <a href={toHref("calls", { tools: tool, last: "1h" })}>its calls</a>.
          </p>
        )}
        {question !== undefined && (
          <div class="try-question">
            <QuestionView
              key={question}
              id={question}
              next={undefined}
              toQuestion={(id) => toHref(`questions/${encodeURIComponent(id)}`)}
            />
          </div>
        )}
        {result !== undefined && <ResultView result={result} />}
        {isDecided && result === undefined && question === undefined && (
          <DecisionView decided={decided.answer} />
        )}
      </div>
    </>
  );
}
