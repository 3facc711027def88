import { canonicalJson } from "../base/index.ts";
import type { Call } from "./call.ts";
import type { Effect } from "./effect.ts";
import type { Judgement, Verdict } from "./permissions.ts";

/** A call that another one will make, as far as that is known before. */
export interface PlannedCall {
  /** Of the step, for people. */
  readonly id: string;
  readonly name: string;
  /** What is not known yet stands as {@link laterText} in place of the value. */
  readonly params: unknown;
  /** Some of the arguments come from calls before it. */
  readonly open?: boolean;
}

/** Stands for an argument that a call gets only when it is made. */
export function laterText(source: string): string {
  return `${later}${source}\u203a`;
}

const later = "\u2039from ";

/** A planned call, as the gate would decide it now. */
export interface ForeseenCall {
  readonly planned: PlannedCall;
  /** Undefined for one whose arguments are not known well enough to tell. */
  readonly call: Call | undefined;
  readonly verdict: Verdict | undefined;
  readonly judgements: readonly Judgement[];
  /** Grants answer its question. */
  readonly granted: boolean;
}

/** All that a call will call: decided together, before the first of it is made. */
export class Plan {
  readonly calls: readonly ForeseenCall[];
  /** Those that a yes to the plan is for, and that have not been made. */
  readonly #answered: Set<ForeseenCall>;

  constructor(calls: readonly ForeseenCall[]) {
    this.calls = calls;
    this.#answered = new Set();
  }

  /** The first that rules deny. */
  get denied(): ForeseenCall | undefined {
    return this.calls.find(({ verdict }) => verdict?.decision === "deny");
  }

  /** What is asked about now. A call whose question would change with its arguments asks when it is made. */
  get asking(): readonly ForeseenCall[] {
    return this.calls.filter((one) => one.verdict?.decision === "ask" && !one.granted && isSettled(one));
  }

  /** All that is known to be done, for whoever remembers an answer. */
  get effects(): readonly Effect[] {
    return this.calls.flatMap(({ call }) => call?.effects ?? []);
  }

  get hides(): boolean {
    return this.calls.some(({ call }) => call?.hides !== undefined);
  }

  /** For whoever is asked: each call, in order, without what is secret. */
  toShown(): readonly { readonly step: string; readonly tool: string; readonly arguments: unknown }[] {
    return this.calls.map(({ planned: { id, name, params }, call }) => ({
      step: id,
      tool: name,
      arguments: call === undefined ? params : call.shownParams,
    }));
  }

  /** Somebody said yes to what asks. */
  answer(): void {
    for (const one of this.asking) this.#answered.add(one);
  }

  /** True once for each call that the yes was for: the same tool, doing the same for the same reasons. */
  takeAnswer(call: Call, verdict: Verdict, judgements: readonly Judgement[]): boolean {
    for (const one of this.#answered) {
      if (!isSame(one, call, verdict, judgements)) continue;
      this.#answered.delete(one);
      return true;
    }
    return false;
  }
}

/** What it will do is known, whatever else comes. */
function isSettled({ planned, call }: ForeseenCall): boolean {
  if (planned.open !== true) return true;
  const effects = call?.effects ?? [];
  return effects.length > 0 && effects.every(({ target }) => !target.includes(later));
}

function isSame(
  { planned, call: foreseen, verdict: before, judgements: asked }: ForeseenCall,
  call: Call,
  verdict: Verdict,
  judgements: readonly Judgement[],
): boolean {
  if (foreseen === undefined || foreseen.tool !== call.tool) return false;
  if (planned.open !== true && !isEqual(foreseen.params, call.params)) return false;
  if (!isEqual(foreseen.effects, call.effects)) return false;
  return before?.rule === verdict.rule && isSameRules(asked, judgements);
}

/** A reason to ask that was not there before is one that nobody has said yes to. */
function isSameRules(before: readonly Judgement[], now: readonly Judgement[]): boolean {
  const rulesOf = (judgements: readonly Judgement[]) =>
    new Set(judgements.flatMap(({ holding }) => holding.filter(({ decision }) => decision === "ask")));
  const known = rulesOf(before);
  return Array.from(rulesOf(now)).every((rule) => known.has(rule));
}

/** What can't be compared is another. */
function isEqual(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    return false;
  }
}
