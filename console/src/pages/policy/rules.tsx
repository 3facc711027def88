import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import { type AnswerTo, ask } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { go, toHref } from "../../shell/address.ts";
import { formatCount, formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { DecisionWord, RuleLine } from "./rule-line.tsx";

type View = AnswerTo<"GET /policy">;
type Listed = View["rules"][number];

/** The rules in force in their order, and what each decided lately. */
export function Rules({ source }: { readonly source: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /policy");
  useLiveReload(["call"], reload, 3000);
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  const { rules, own, mode, looked } = answer;
  const sources = [...new Set(rules.map((rule) => rule.source))];
  const shown = rules.filter((rule) =>
    source === ""
      ? rule.source === "own file" || rule.source === "project file" || rule.decided.calls > 0
      : source === "all" || rule.source === source,
  );
  return (
    <>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {own.isPending && (
        <p class="notice warning">
          The rules of your own file were changed since haft started: they are in force once{" "}
          <code>haft serve</code> is started again.
        </p>
      )}
      <p class="dim rules-lead">
        Of all rules that hold for a call, the strictest decides: deny, then ask, then allow. A call that no
        rule names asks. The mode is{" "}
        <strong>
          <Text value={mode} oneLine />
        </strong>
        .
      </p>
      <div class="rules-bar">
        <label>
          <span class="dim">Show</span>{" "}
          <select
            value={source}
            onChange={(event) =>
              go(toHref("policy", { source: event.currentTarget.value }), { replace: true })
            }
          >
            <option value="">yours, and what decided lately</option>
            <option value="all">all rules</option>
            {(sources.includes("own file") ? sources : [...sources, "own file" as const]).map((one) => (
              <option key={one} value={one}>
                from: {showInvisible(one)}
              </option>
            ))}
          </select>
        </label>
        <span class="dim">
          {formatCount(shown.length)} of {formatCounted(rules.length, "rule")}; what they decided among the{" "}
          {looked === 0 ? "calls, of which there are none yet" : `last ${formatCounted(looked, "call")}`}
        </span>
      </div>
      {shown.length === 0 ? (
        <div class="empty">
          <p class="empty-title">There are none of these</p>
          <p>
            <a href={toHref("policy/edit")}>Write rules of your own</a>, or look at{" "}
            <a href={toHref("policy", { source: "all" })}>all rules</a>.
          </p>
        </div>
      ) : (
        <ol class="rules" aria-label="Rules in force">
          {shown.map((rule) => (
            <RuleRow key={rule.number} listed={rule} />
          ))}
        </ol>
      )}
      <PolicyTests tests={answer.tests} />
    </>
  );
}

function RuleRow({ listed }: { readonly listed: Listed }): VNode {
  const { number, source, rule, unused, decided } = listed;
  return (
    <li>
      <span class="rule-number dim">{number}</span>
      <span class="rule-what">
        <RuleLine rule={rule} />
        {unused && (
          <span class="mark" title="No tool there is fits it">
            fits no tool
          </span>
        )}
      </span>
      <span class="dim rule-source">
        <Text value={source} oneLine />
      </span>
      <span class="rule-decided">
        {decided.last === undefined ? (
          <span class="dim">–</span>
        ) : (
          <a href={toHref(`calls/${encodeURIComponent(decided.last.callId)}`)} title="The newest of them">
            {formatCounted(decided.calls, "call")}, <Time at={decided.last.at} seconds={false} />
          </a>
        )}
      </span>
    </li>
  );
}

/** The tests that the configuration has for its rules. */
function PolicyTests({ tests }: { readonly tests: number }): VNode | null {
  const act = useAct();
  const [results, setResults] = useState<AnswerTo<"POST /policy/test">["results"]>();
  if (tests === 0) return null;
  const run = () =>
    act.run(async () => {
      const answer = await ask("POST /policy/test");
      setResults(answer.results);
      return answer.passed ? "All tests pass." : "Not all tests pass.";
    });
  return (
    <Section title="Tests of the rules">
      <button type="button" disabled={act.busy} onClick={run}>
        Run {formatCounted(tests, "test")}
      </button>
      {act.done !== undefined && <p role="status">{act.done}</p>}
      {act.fault !== undefined && <Fault fault={act.fault} />}
      {results !== undefined && (
        <ul class="test-results">
          {results.map((result) => (
            <li key={result.name}>
              <span class={result.passed ? "done" : "failed-word"}>
                {result.passed ? "✓ pass" : "✕ fail"}
              </span>
              <span>
                <Text value={result.name} />
                {!result.passed && (
                  <>
                    {": "}
                    <DecisionWord decision={result.decided ?? "none"} />, expected{" "}
                    <DecisionWord decision={result.expected} />
                    {result.fault !== undefined && (
                      <>
                        {" "}
                        <Text value={result.fault} />
                      </>
                    )}
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
