import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { parseJson, shellWord } from "../../../../src/base/index.ts";
import { effectVerbs, modes } from "../../../../src/kernel/index.ts";
import { type AnswerTo, ask, type RequestFault, toFault } from "../../net/api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Text } from "../../text/text.tsx";
import { giveDraft } from "./draft.ts";
import { DecisionWord, RuleLine } from "./rule-line.tsx";

type Explained = AnswerTo<"POST /policy/explain">;

/** How a call would be decided and by which rules, without making it. */
export function Explain({ query }: { readonly query: URLSearchParams }): VNode {
  const [tool, setTool] = useState(query.get("tool") ?? "");
  const [params, setParams] = useState(query.get("params") ?? "{}");
  const [mode, setMode] = useState(query.get("mode") ?? "");
  const [agent, setAgent] = useState(query.get("agent") ?? "");
  const [untrusted, setUntrusted] = useState(query.get("untrusted") === "true");
  const [known, setKnown] = useState<{ readonly answer?: Explained; readonly fault?: RequestFault }>({});
  const asked = query.toString();
  const isJson = parseJson(params) !== undefined;
  useEffect(() => {
    const wanted = new URLSearchParams(asked);
    const name = wanted.get("tool");
    setKnown({});
    if (name === null) return;
    const run = new AbortController();
    const wantedMode = modes.find((one) => one === wanted.get("mode"));
    const wantedAgent = wanted.get("agent");
    ask(
      "POST /policy/explain",
      {
        body: {
          tool: name,
          params: wanted.get("params") ?? "{}",
          ...(wantedMode !== undefined && { mode: wantedMode }),
          ...(wantedAgent !== null && { agent: wantedAgent }),
          ...(wanted.get("untrusted") === "true" && { untrusted: true }),
        },
      },
      run.signal,
    ).then(
      (answer) => setKnown({ answer }),
      (error: unknown) => {
        if (!run.signal.aborted) setKnown({ fault: toFault(error) });
      },
    );
    return () => run.abort();
  }, [asked]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (tool.trim() === "" || !isJson) return;
    go(
      toHref("policy/explain", {
        tool: tool.trim(),
        params,
        mode,
        agent: agent.trim(),
        untrusted: untrusted ? "true" : "",
      }),
    );
  };
  return (
    <div class="explain">
      <form class="explain-form" onSubmit={submit}>
        <label>
          <span>Tool</span>
          <input
            value={tool}
            required
            autoComplete="off"
            spellcheck={false}
            placeholder="bash"
            data-search
            onInput={(event) => setTool(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Arguments, as JSON</span>
          <textarea
            class="code"
            rows={5}
            value={params}
            spellcheck={false}
            aria-invalid={!isJson}
            onInput={(event) => setParams(event.currentTarget.value)}
          />
        </label>
        {!isJson && <p class="warning">This is no JSON yet.</p>}
        <div class="explain-more">
          <label>
            <span>Mode</span>
            <select value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
              <option value="">the one in force</option>
              {modes.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>Agent</span>
            <input
              value={agent}
              autoComplete="off"
              placeholder="none"
              onInput={(event) => setAgent(event.currentTarget.value)}
            />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={untrusted}
              onChange={(event) => setUntrusted(event.currentTarget.checked)}
            />{" "}
            with data from outside
          </label>
        </div>
        <button type="submit" disabled={tool.trim() === "" || !isJson}>
          Explain
        </button>
      </form>
      <div aria-live="polite" class="explained">
        {known.fault !== undefined && <Fault fault={known.fault} />}
        {known.answer !== undefined && <Answer answer={known.answer} />}
        {query.get("tool") === null && (
          <p class="dim">
            Say which call: haft tells how it would be decided, by which rules, and what would allow it.
            Nothing runs and nobody is asked.
          </p>
        )}
      </div>
    </div>
  );
}

const outcomes: ReadonlyMap<string, string> = new Map([
  ["allow", "It would run"],
  ["ask", "A person would be asked"],
  ["deny", "It would be refused"],
]);

function Answer({ answer }: { readonly answer: Explained }): VNode {
  const { outcome, effects, grants, whyAsked, inTheWay, toAllow, refusal, notes } = answer;
  return (
    <>
      <h2 class="outcome">
        <DecisionWord decision={outcome} /> {outcomes.get(outcome)}
      </h2>
      {refusal !== undefined && (
        <p class="warning">
          <Text value={refusal} />
        </p>
      )}
      {grants.length > 0 && (
        <p>
          <a href={toHref("policy/grants")}>Remembered answers</a> say yes: <Text value={grants.join(", ")} />
        </p>
      )}
      {whyAsked !== undefined && (
        <p>
          <Text value={whyAsked} />
        </p>
      )}
      <ul class="explained-effects">
        {effects.map((one, at) => (
          <li key={at}>
            <p>
              <DecisionWord decision={one.decision} />{" "}
              {one.effect === undefined ? (
                "it does not say what it touches"
              ) : (
                <>
                  {effectVerbs[one.effect.kind]}{" "}
                  <code>
                    <Text value={one.effect.target} oneLine />
                  </code>
                </>
              )}
              {one.tool !== undefined && (
                <>
                  {" "}
                  by <Text value={one.tool} oneLine />
                </>
              )}
            </p>
            <p class="dim">
              {one.rule === undefined ? (
                "No rule names it, so it asks."
              ) : (
                <>
                  rule {one.rule.number}, <Text value={one.rule.source} oneLine />:{" "}
                  <RuleLine rule={one.rule.rule} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {inTheWay.length > 0 && (
        <Section title="No other rule undoes">
          <ul class="in-the-way">
            {inTheWay.map((one) => (
              <li key={one.number}>
                <span class="dim">
                  {one.number}, <Text value={one.source} oneLine />
                </span>{" "}
                <RuleLine rule={one.rule} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {toAllow.length > 0 && (
        <Section
          title="The narrowest rules that allow it"
          aside={<CopyButton text={toAllow.join("\n")} label="the rules" />}
        >
          <pre class="code-block" tabIndex={0} role="region" aria-label="Rules that allow it">
            <Text value={toAllow.join("\n")} />
          </pre>
          <button
            type="button"
            onClick={() => {
              giveDraft(toAllow.join("\n"));
              go(toHref("policy/edit"));
            }}
          >
            Put them into the editor
          </button>
        </Section>
      )}
      {notes.length > 0 && (
        <Section title="Notes">
          <ul>
            {notes.map((note) => (
              <li key={note}>
                <Text value={note} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** The command that explains the same call. */
export function writeExplainCommand(query: URLSearchParams): string {
  const tool = query.get("tool");
  if (tool === null) return "haft policy explain TOOL JSON";
  const mode = query.get("mode");
  const agent = query.get("agent");
  return [
    "haft policy explain",
    shellWord(tool),
    shellWord(query.get("params") ?? "{}"),
    mode !== null && `--mode ${shellWord(mode)}`,
    agent !== null && `--agent ${shellWord(agent)}`,
    query.get("untrusted") === "true" && "--untrusted",
  ]
    .filter((word) => word !== false)
    .join(" ");
}
