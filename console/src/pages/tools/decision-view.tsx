import type { VNode } from "preact";
import { effectVerbs } from "../../../../src/kernel/index.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Section } from "../../parts/section.tsx";
import { LongText, Text } from "../../text/text.tsx";
import type { Decided } from "./tool-types.ts";

type DecidedEffect = Decided["effects"][number];
type NumberedRule = NonNullable<DecidedEffect["rule"]>;

const outcomes: Readonly<Record<Decided["outcome"], string>> = {
  allow: "It would run at once.",
  ask: "It would ask for your yes.",
  deny: "It would be refused.",
};

/** What would be decided of a call, and by which rules. */
export function DecisionView({ decided }: { readonly decided: Decided }): VNode {
  const { outcome, decision, effects, grants, whyAsked, refusal, toAllow, notes, mode, trust } = decided;
  return (
    <Section title="What would be decided">
      <p>
        <strong class="verdict" data-decision={outcome}>
          <Text value={outcome} oneLine />
        </strong>{" "}
        {outcomes[outcome]}{" "}
        <span class="dim">
          Mode <Text value={mode} oneLine />, arguments <Text value={trust} oneLine />.
        </span>
      </p>
      {refusal !== undefined && (
        <p class="warning">
          <Text value={refusal} />
        </p>
      )}
      {effects.length > 0 && (
        <ul class="verdicts">
          {effects.map((one, at) => (
            <EffectRow key={at} decided={one} />
          ))}
        </ul>
      )}
      {decision === "ask" && grants.length > 0 && (
        <p>
          Answers that you gave before say yes: <Text value={grants.join(", ")} />
        </p>
      )}
      {whyAsked !== undefined && (
        <p class="dim">
          <Text value={whyAsked} />
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="dim">
          <Text value={note} />
        </p>
      ))}
      {toAllow.length > 0 && (
        <details>
          <summary>Allow this by a rule</summary>
          <p class="dim">
            Under <code>permissions</code> in <code>haft.config.yml</code>:
          </p>
          <LongText value={toAllow.join("\n")} label="The rule" />
          <CopyButton text={toAllow.join("\n")} label="the rule" />
        </details>
      )}
    </Section>
  );
}

function EffectRow({
  decided: { tool, effect, decision, rule, others },
}: {
  readonly decided: DecidedEffect;
}): VNode {
  return (
    <li>
      <strong class="verdict" data-decision={decision}>
        <Text value={decision} oneLine />
      </strong>
      <div>
        <p>
          {tool !== undefined && (
            <>
              <Text value={tool} oneLine />{" "}
            </>
          )}
          {effect === undefined ? (
            "runs; it does not say what it touches"
          ) : (
            <>
              {effectVerbs[effect.kind]}{" "}
              <code>
                <Text value={effect.target} />
              </code>
            </>
          )}
        </p>
        <p class="dim">{rule === undefined ? "No rule names it." : <RuleText rule={rule} />}</p>
        {others.map((other) => (
          <p key={other.number} class="dim">
            Also <RuleText rule={other} />
          </p>
        ))}
      </div>
    </li>
  );
}

/** A rule by its place and its fields. */
function RuleText({ rule: { number, source, rule } }: { readonly rule: NumberedRule }): VNode {
  const { decision, reason, ...fields } = rule;
  const words = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return (
    <>
      {source === "tool" ? "The tool itself" : <Text value={`Rule ${number} (${source})`} oneLine />}:{" "}
      <Text value={decision} oneLine /> <Text value={words.join(", ")} oneLine />
      {reason !== undefined && (
        <>
          . <Text value={reason} />
        </>
      )}
    </>
  );
}
