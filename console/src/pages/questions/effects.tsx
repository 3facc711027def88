import type { VNode } from "preact";
import { effectVerbs } from "../../../../src/kernel/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { mixesScripts } from "../../text/mixed-scripts.ts";
import { Text } from "../../text/text.tsx";

type ListedQuestion = AnswerTo<"GET /questions">[number];
type Effect = ListedQuestion["effects"][number];

/** The tool, and in a line what it asks to do. */
export function Ask({ question }: { readonly question: ListedQuestion }): VNode {
  const [first, ...others] = question.effects;
  return (
    <span class="ask">
      <ToolName name={question.toolName} />
      <span class="ask-effect">
        {first === undefined ? describeUnlisted(question) : effectVerbs[first.kind]}{" "}
        {first !== undefined && <Text value={first.target} oneLine />}
        {others.length > 0 && <span class="dim"> and {others.length} more</span>}
      </span>
    </span>
  );
}

function describeUnlisted({ hasLongEffects }: ListedQuestion): string {
  return hasLongEffects
    ? "touches more than a list can show; open the question"
    : "runs; it does not say what it touches";
}

/** A tool's name, with a warning if its letters are of two alphabets that look alike. */
export function ToolName({ name }: { readonly name: string }): VNode {
  return (
    <strong class="tool-name">
      <Text value={name.normalize("NFC")} oneLine />
      {mixesScripts(name) && (
        <span class="warning mixed" title="Letters of two alphabets that look alike stand in one word">
          mixed alphabets
        </span>
      )}
    </strong>
  );
}

/** Everything that the call will do, each with why it is no matter of course. */
export function Effects({ effects }: { readonly effects: readonly Effect[] }): VNode {
  if (effects.length === 0)
    return (
      <p class="warning">
        The tool does not say what it touches: take it to reach anything that haft may reach.
      </p>
    );
  return (
    <ul class="effects">
      {effects.map((effect) => (
        <li key={`${effect.kind} ${effect.target}`}>
          <span class="effect-kind" data-kind={effect.kind}>
            {effectVerbs[effect.kind]}
          </span>
          <span class="effect-target">
            <code>
              <Text value={effect.target} />
            </code>
            {listMarks(effect).map((mark) => (
              <span key={mark} class="mark">
                {mark}
              </span>
            ))}
            {[effect.unclear, effect.asks, effect.risk, effect.isolation].map(
              (why) =>
                why !== undefined && (
                  <span key={why} class={why === effect.risk ? "why warning" : "why dim"}>
                    <Text value={why} />
                  </span>
                ),
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function listMarks(effect: Effect): readonly string[] {
  const isFile = effect.kind === "read" || effect.kind === "write" || effect.kind === "delete";
  const outside = effect.kind === "connect" ? "not an allowed host" : "outside the allowed folders";
  const isElsewhere = !effect.within && !/^(?:memory|mcp):/.test(effect.target);
  return [
    ...((isFile || effect.kind === "connect") && isElsewhere ? [outside] : []),
    ...(effect.opaque === true ? ["can't be read before it runs"] : []),
    ...(effect.confined === true ? ["in the sandbox"] : []),
    ...(effect.undoable === true ? ["can be undone"] : []),
  ];
}

/** Whether a yes for good to these effects could do great harm, so that it has to be typed. */
export function isDangerous(effects: readonly Effect[]): boolean {
  return (
    effects.length === 0 ||
    effects.some(
      ({ kind, within, opaque, risk, confined }) =>
        opaque === true ||
        risk !== undefined ||
        kind === "delete" ||
        (kind === "run" && confined !== true && !within) ||
        ((kind === "write" || kind === "connect") && !within),
    )
  );
}
