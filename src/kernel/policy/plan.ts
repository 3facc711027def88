import { canonicalJson } from "../../base/index.ts";
import type { HiddenArguments } from "../secrets/secrets.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import type { Judgement, Verdict } from "./permissions.ts";
import { hasLater, type PlannedCall } from "./planned-call.ts";

/** What a plan shows and compares of a call. */
interface ComparedCall {
  /** The name of the tool, with its version where there are several. */
  readonly entryName: string;
  readonly tool: Tool;
  readonly params: unknown;
  /** Without those that are secret. */
  readonly shownParams: unknown;
  readonly effects: readonly Effect[];
  readonly hides: HiddenArguments | undefined;
  /** The calls that it will make in turn. */
  readonly plan: Plan | undefined;
}

/** A planned call, as the gate would decide it now. */
export interface ForeseenCall {
  readonly planned: PlannedCall;
  readonly call: ComparedCall;
  /** Undefined for one whose arguments are not known well enough to tell. */
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
    return this.calls.flatMap(({ call: { effects, plan } }) => [...effects, ...(plan?.effects ?? [])]);
  }

  get hides(): boolean {
    return this.calls.some(({ call: { hides, plan } }) => hides !== undefined || plan?.hides === true);
  }

  /** The versions of the tools of all calls: a remembered answer is to these. */
  get versions(): readonly string[] {
    return this.calls.flatMap(({ call: { entryName, tool, plan } }) => [
      `${entryName} ${tool.version}`,
      ...(plan?.versions ?? []),
    ]);
  }

  /**
   * The plan for the person who is asked: each call, in order, with those that it makes in turn, and without
   * what is secret.
   */
  toShown(): readonly { readonly step: string; readonly tool: string; readonly arguments: unknown }[] {
    return this.calls.map(({ planned: { id }, call: { entryName, shownParams, plan } }) => ({
      step: id,
      tool: entryName,
      arguments: plan === undefined ? shownParams : { arguments: shownParams, calls: plan.toShown() },
    }));
  }

  /** Somebody said yes to what asks. */
  answer(): void {
    for (const one of this.asking) this.#answered.add(one);
  }

  /** True once for each call that the yes was for: the same tool, doing the same for the same reasons. */
  takeAnswer(call: ComparedCall, verdict: Verdict, judgements: readonly Judgement[]): boolean {
    for (const one of this.#answered) {
      if (!isSame(one, call, verdict, judgements)) continue;
      this.#answered.delete(one);
      return true;
    }
    return false;
  }
}

/** What it will do is known, whatever else comes. */
function isSettled({ planned, call: { effects } }: ForeseenCall): boolean {
  if (planned.open !== true) return true;
  return effects.length > 0 && effects.every(({ target }) => !hasLater(target));
}

function isSame(
  foreseen: ForeseenCall,
  call: ComparedCall,
  verdict: Verdict,
  judgements: readonly Judgement[],
): boolean {
  if (foreseen.verdict?.rule !== verdict.rule || !isSameRules(foreseen.judgements, judgements)) return false;
  return doesSame(foreseen, call);
}

/** The same tool, arguments and effects, also of all calls that it makes in turn. */
function doesSame({ planned, call: foreseen }: ForeseenCall, call: ComparedCall): boolean {
  if (foreseen.tool !== call.tool) return false;
  if (planned.open !== true && !isEqual(foreseen.params, call.params)) return false;
  if (!isEqual(foreseen.effects, call.effects)) return false;
  const before = foreseen.plan?.calls ?? [];
  const now = call.plan?.calls ?? [];
  return (
    before.length === now.length && before.every((one, at) => doesSame(one, (now[at] as ForeseenCall).call))
  );
}

/** A reason to ask that was not there before is one that nobody has said yes to. */
function isSameRules(before: readonly Judgement[], now: readonly Judgement[]): boolean {
  const listAskingRules = (judgements: readonly Judgement[]) =>
    new Set(judgements.flatMap(({ holding }) => holding.filter(({ decision }) => decision === "ask")));
  const known = listAskingRules(before);
  return Array.from(listAskingRules(now)).every((rule) => known.has(rule));
}

/** What can't be compared is another. */
function isEqual(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    return false;
  }
}
