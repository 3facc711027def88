import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import type {
  CallContext,
  Decision,
  Effect,
  Foreseen,
  Mode,
  ToolExecutor,
  Trust,
} from "../../kernel/index.ts";
import { narrowestRule } from "./how-to-allow.ts";
import { type NumberedRule, type RuleFiles, ruleOfTools, rulesInForce } from "./rules-in-force.ts";

/** What is needed to judge a call. */
export interface Judge {
  readonly executor: Pick<ToolExecutor, "foresee">;
  /** The mode for calls that bring none. */
  readonly mode: Mode;
  readonly loaded: RuleFiles;
}

/** What would be decided of a call, and by what. */
export interface Explanation {
  readonly tool: string;
  /** The arguments as validation leaves them. */
  readonly params: unknown;
  readonly mode: Mode;
  readonly trust: Trust;
  readonly agent: string | undefined;
  readonly channel: string | undefined;
  /** `ask`: unless one of `grants` answers. */
  readonly decision: Decision;
  readonly effects: readonly ExplainedEffect[];
  /** Remembered answers that together say yes. */
  readonly grants: readonly string[];
  /** Why none does, although something like this call was allowed before. */
  readonly whyAsked: string | undefined;
  /** Rules that say no, or ask: no other rule undoes them. */
  readonly inTheWay: readonly NumberedRule[];
  /** The narrowest rules, as YAML, for what no rule names; empty where there is no such thing, or no rule for it. */
  readonly toAllow: readonly string[];
  /** Why it would be refused whatever rules say: there is no sandbox to run it in. Its effects are not known then. */
  readonly refusal: string | undefined;
  /** What was put right about the arguments, and where their data comes from. */
  readonly notes: readonly string[];
}

/** What was decided of one effect, and by which rule. */
export interface ExplainedEffect {
  /** The tool whose effect this is, where the call makes others and the effect is of one of those. */
  readonly tool?: string;
  /** Absent for a call that declares none. */
  readonly effect: Effect | undefined;
  readonly decision: Decision;
  /** The rule that decided; absent where none names the effect, which asks. */
  readonly rule: NumberedRule | undefined;
  /** The other rules that hold for it. */
  readonly others: readonly NumberedRule[];
}

/**
 * Says what would be decided of a call, and by which rules. Nothing runs and nobody is asked.
 *
 * @throws {ToolError} for a call that would not come to a decision.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * const { decision } = await explainCall(app, "read", { path: "/etc/passwd" }, app.context);
 * decision; // → "ask"
 * ```
 */
export async function explainCall(
  judge: Judge,
  name: string,
  params: unknown,
  context: CallContext,
): Promise<Explanation> {
  const foreseen = await foresee(judge, name, params, context);
  if (typeof foreseen === "string") return { ...refused(judge, name, context), params, refusal: foreseen };
  const { mode, trust, grants = [], whyAsked, notes } = foreseen;
  const numbered = new Map([ruleOfTools, ...rulesInForce(judge.loaded, mode)].map((one) => [one.rule, one]));
  const { name: tool } = foreseen.tool;
  const effects = foreseen.judgements.map(
    ({ toolName, effect, decision, rule, holding }): ExplainedEffect => {
      const others = holding.flatMap((other) => (other === rule ? [] : (numbered.get(other) ?? [])));
      return {
        ...(toolName !== undefined && { tool: toolName }),
        effect,
        decision,
        rule: rule && numbered.get(rule),
        others,
      };
    },
  );
  const inTheWay = effects
    .flatMap(({ rule, others }) => [...(rule === undefined ? [] : [rule]), ...others])
    .filter(({ rule }) => rule.decision !== "allow");
  return {
    tool,
    params: foreseen.params,
    mode,
    trust,
    agent: context.agentId,
    channel: context.origin?.channel,
    decision: decideByMode(foreseen),
    effects,
    grants,
    whyAsked,
    inTheWay: Array.from(new Set(inTheWay)).toSorted((a, b) => a.number - b.number),
    toAllow: rulesFor(tool, effects),
    refusal: undefined,
    notes: [...listNotes(name, foreseen), ...notes],
  };
}

function listNotes(name: string, { tool, composes }: Foreseen): readonly string[] {
  if (composes === "later") return ["each call that it makes is decided by itself, when it is made"];
  return tool.name === name ? [] : [`rules see this call as one of "${tool.name}"`];
}

/** A text where the host has no place to run the call in that is as safe as is asked for. */
async function foresee(
  { executor }: Judge,
  name: string,
  params: unknown,
  context: CallContext,
): Promise<Foreseen | string> {
  try {
    return await executor.foresee(name, params, context);
  } catch (error) {
    if (getErrorCode(error) === "SANDBOX_REFUSED") return getErrorMessage(error);
    throw error;
  }
}

function refused(
  judge: Judge,
  name: string,
  { mode = judge.mode, trust = "trusted", agentId, origin }: CallContext,
): Omit<Explanation, "params" | "refusal"> {
  return {
    tool: name,
    mode,
    trust,
    agent: agentId,
    channel: origin?.channel,
    decision: "deny",
    effects: [],
    grants: [],
    whyAsked: undefined,
    inTheWay: [],
    toAllow: [],
    notes: [],
  };
}

/** The outcome of the call if nobody answers anything: remembered answers count. */
export function findOutcome({ decision, grants }: Explanation): Decision {
  return decision === "ask" && grants.length > 0 ? "allow" : decision;
}

/** What rules and mode make of a call, whatever was remembered. */
export function decideByMode({ verdict, mode }: Pick<Foreseen, "verdict" | "mode">): Decision {
  return verdict.decision === "ask" && mode === "locked" ? "deny" : verdict.decision;
}

function rulesFor(name: string, effects: readonly ExplainedEffect[]): readonly string[] {
  const unnamed = effects.filter(({ rule, decision }) => rule === undefined && decision === "ask");
  const rules = unnamed.map(({ effect, tool = name }) => narrowestRule(tool, effect));
  return rules.includes(undefined) ? [] : Array.from(new Set(rules.map(String)));
}
