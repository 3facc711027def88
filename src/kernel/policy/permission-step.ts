import { isPromise, type MaybePromise } from "../../base/index.ts";
import type { Call, DecidedCall, ResolvedCall, TracedCall } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import { OuterCall } from "../call/inner-call.ts";
import { ToolPermissionError, ToolTimeoutError } from "../errors.ts";
import type { LedgerDecision } from "../ports/ledger.ts";
import type { AvailabilityReason } from "../registry/availability.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import { type AskedCall, toAskedCall } from "./approval-request.ts";
import { type QuestionOptions, Questions, type Remembered } from "./ask-person.ts";
import { type Mode, modeRules } from "./modes.ts";
import { because, describeEffects, listRisks } from "./permission-text.ts";
import { type Judgement, PermissionPolicy, type Verdict, type VerdictPart } from "./permissions.ts";
import { type ForeseenCall, Plan } from "./plan.ts";
import type { PlannedCall } from "./planned-call.ts";
import { askAboutRepeat, type FindEarlier, type Judged, mayBeRepeat } from "./repeated-calls.ts";
import type { Rule } from "./rules.ts";

export interface PermissionOptions extends QuestionOptions {
  readonly rules: readonly Rule[];
  /**
   * The rules of a policy to come: where it would decide otherwise, that is noted, and nothing else happens.
   */
  readonly shadowRules: readonly Rule[] | undefined;
  readonly mode: Mode;
  /** How long a tool may take to say what a call will do. */
  readonly effectsTimeoutMs: number;
  /** How the gate would decide a call that another one will make. */
  readonly foresee: (outer: OuterCall, planned: PlannedCall) => Promise<ForeseenCall>;
  /** Finds an earlier call that may be the same one. Undefined if nothing records them. */
  readonly findEarlier: FindEarlier | undefined;
}

/** What the gate would say of a call, as far as that is known without asking anybody. */
export interface ForeseenDecision {
  readonly mode: Mode;
  readonly verdict: Verdict;
  /** How each effect was decided. */
  readonly judgements: readonly Judgement[];
  /** The grants that answer the question, where the verdict is `ask`. */
  readonly grants: readonly string[] | undefined;
  /** Why no grant does, although something like this call was allowed before. */
  readonly whyAsked: string | undefined;
  /** The call as a person would be asked about it; undefined where nobody would be. */
  readonly asked: AskedCall | undefined;
}

/** How far a call is judged without being made. */
export interface ForeseeOptions {
  /** Also runs {@link Tool.check} of a call that a person would be asked about; `always`: of any call. @default false */
  readonly check?: boolean | "always";
}

/** How a call of a plan is judged. `asMade`: with the earlier calls that will count when it is made. */
export interface PlannedOptions extends ForeseeOptions {
  readonly asMade?: boolean;
}

/** Step 5: what rules, remembered answers and people say of a call. Returns for yes and throws for no. */
export class Permission {
  readonly #options: PermissionOptions;
  readonly #questions: Questions;
  readonly #policies: Policies;
  readonly #shadows: Policies | undefined;

  constructor(options: PermissionOptions) {
    this.#options = options;
    this.#questions = new Questions(options);
    this.#policies = new Policies(options.rules);
    this.#shadows = options.shadowRules && new Policies(options.shadowRules);
    for (const policies of [this.#policies, this.#shadows]) policies?.of(options.mode); // Faults of rules are told of at the start.
  }

  decide(call: TracedCall): MaybePromise<DecidedCall> {
    if (typeof call.tool.composes === "function") return this.#decidePlan(call.resolve([]));
    const resolved = this.#resolveEffects(call);
    return isPromise(resolved) ? resolved.then((known) => this.#judge(known)) : this.#judge(resolved);
  }

  async foresee(
    traced: TracedCall,
    { check = false, asMade = false }: PlannedOptions = {},
  ): Promise<ForeseenDecision> {
    const call = await this.#resolveEffects(traced);
    const mode = this.#getMode(call);
    const judged = await this.#weigh(call, mode);
    const { verdict, judgements } = asMade ? await this.#heedEarlier(call, judged) : judged;
    const open = verdict.decision === "ask" && mode !== "locked";
    const remembered: Remembered = open ? await this.#questions.foresee(call, judgements) : {};
    const asks = open && remembered.grants === undefined;
    if (check === "always" || (asks && check)) await this.#check(call);
    const asked = asks ? toAskedCall(call, verdict) : undefined;
    return { mode, verdict, judgements, grants: undefined, whyAsked: undefined, ...remembered, asked };
  }

  /** Why no call of a tool by this caller comes to a yes; undefined where one may. */
  refusing(tool: Tool, context: CallContext): AvailabilityReason | undefined {
    const { mode = this.#options.mode } = context;
    const rule = this.#policies.of(mode).ofEveryCall(tool, context);
    if (rule?.decision === "deny") {
      const remedy = "change that rule; no other rule undoes it";
      return {
        code: "RULE_DENIES",
        message: `a rule denies every call of it${formatReason(rule)}`,
        remedy,
        rule,
      };
    }
    if (rule?.decision !== "ask" || mode !== "locked") return undefined;
    const message = `every call of it asks${formatReason(rule)}, and mode locked asks nobody`;
    return { code: "MODE_LOCKED", message, remedy: "call in another mode", rule };
  }

  /** All the calls that it will make are decided now, and one question is for all that ask. */
  async #decidePlan(call: ResolvedCall): Promise<DecidedCall> {
    const judged = await this.#weigh(call, this.#getMode(call));
    const { verdict, judgements } = await this.#heedEarlier(call, judged);
    const denied = call.plan?.denied;
    if (denied !== undefined) throw refusePlan(call, denied);
    const decided = await this.#settle(call, verdict, judgements);
    call.plan?.answer();
    return decided;
  }

  async #weigh(call: ResolvedCall, mode: Mode): Promise<Judged> {
    const policy = this.#policies.of(mode);
    const own: Judged = { verdict: policy.decide(call), judgements: policy.explain(call) };
    const { composes } = call.tool;
    if (typeof composes !== "function" || own.verdict.decision === "deny") return own;
    const outer = new OuterCall(call);
    const planned: ForeseenCall[] = [];
    for (const one of composes(call.params as never)) planned.push(await this.#options.foresee(outer, one));
    const plan = new Plan(planned);
    call.usePlan(plan);
    const { denied, asking } = plan;
    const decisive = denied ?? asking[0];
    const deciding = denied === undefined ? asking : [denied];
    const told = planned.filter((one) => deciding.includes(one) || one.verdict?.decision === "allow");
    const judgements = [...own.judgements, ...told.flatMap(nameJudgements)];
    if (decisive?.verdict === undefined) return { verdict: own.verdict, judgements };
    const { rule, decision } = decisive.verdict;
    return {
      verdict: {
        decision,
        ...(rule !== undefined && { rule }),
        effects: deciding.flatMap(({ verdict }) => verdict?.effects ?? []),
        parts: deciding.flatMap(listParts),
      },
      judgements,
    };
  }

  #resolveEffects(call: TracedCall): MaybePromise<ResolvedCall> {
    const effects = call.tool.effects?.(call.params as never, call.context);
    if (isPromise(effects)) return this.#awaitEffects(call, effects);
    return call.resolve(effects ?? noEffects);
  }

  async #awaitEffects(call: TracedCall, effects: PromiseLike<readonly Effect[]>): Promise<ResolvedCall> {
    const { clock, effectsTimeoutMs: ms } = this.#options;
    const tooLong = () => new ToolTimeoutError(call.toolName, ms);
    return call.resolve(await call.within(clock, ms, tooLong, () => effects));
  }

  #getMode({ context }: Call): Mode {
    return context.mode ?? this.#options.mode;
  }

  #judge(call: ResolvedCall): MaybePromise<DecidedCall> {
    const policy = this.#policies.of(this.#getMode(call));
    const verdict = policy.decide(call);
    if (this.#options.findEarlier === undefined || !mayBeRepeat(call, verdict))
      return this.#settle(call, verdict);
    const judged = { verdict, judgements: policy.explain(call) };
    return this.#heedEarlier(call, judged).then((heeded) =>
      this.#settle(call, heeded.verdict, heeded.judgements),
    );
  }

  /** Makes a judgement stricter if the call may have happened already. */
  async #heedEarlier(call: ResolvedCall, judged: Judged): Promise<Judged> {
    const { findEarlier, clock } = this.#options;
    if (findEarlier === undefined || !mayBeRepeat(call, judged.verdict)) return judged;
    const since = await findEarlier(call);
    return since === undefined ? judged : askAboutRepeat(judged, since, clock.now());
  }

  /** @param judgements How each effect was decided, if more than the rules for this call alone decided it. */
  #settle(
    call: ResolvedCall,
    verdict: Verdict,
    judgements?: readonly Judgement[],
  ): MaybePromise<DecidedCall> {
    const mode = this.#getMode(call);
    if (this.#shadows !== undefined) noteShadow(call, verdict, this.#shadows.of(mode).decide(call));
    if (call.effects.length > 0) {
      call.notes.push(...listRisks(call.effects));
      noteIsolation(call);
    }
    switch (verdict.decision) {
      case "allow":
        return call.allow(toDecision(verdict));
      case "deny":
        call.deny(toDecision(verdict));
        throw new ToolPermissionError(
          call.toolName,
          `Permission denied: a rule forbids "${call.toolName}" to ${describeEffects(verdict.effects)}${because(verdict)}`,
        );
      case "ask":
        if (mode === "locked") throw this.#refuseLocked(call, verdict);
        return this.#ask(call, verdict, judgements ?? this.#policies.of(mode).explain(call));
      default:
        return verdict.decision satisfies never;
    }
  }

  async #ask(call: ResolvedCall, verdict: Verdict, judgements: readonly Judgement[]): Promise<DecidedCall> {
    const { outer } = call;
    if (outer?.answers(call, verdict, judgements) === true)
      return call.allow({ decision: "allow", by: `plan:${outer.call.id}` });
    call.detachArguments(); // What is checked is shown, and what is shown is answered, whatever the caller does meanwhile.
    await this.#check(call);
    const ask = () => this.#questions.ask(call, verdict, judgements);
    return outer === undefined ? ask() : outer.whilePerson(ask);
  }

  /** Runs the tool's own check, so that no person is asked about a call that would fail. */
  async #check(call: ResolvedCall): Promise<void> {
    const { tool, context, scope, params, trust } = call;
    if (tool.check === undefined) return;
    const { clock, effectsTimeoutMs: ms } = this.#options;
    const { agentId, origin, allowedPaths, project } = context;
    const policy = this.#policies.of(this.#getMode(call));
    const allows = (effect: Effect) =>
      policy.decide({ tool, params, context, trust, effects: [effect] }).decision === "allow";
    const tooLong = () => new ToolTimeoutError(call.toolName, ms);
    await call.within(clock, ms, tooLong, (signal) =>
      tool.check?.(params as never, {
        scope,
        signal,
        allows,
        ...(agentId !== undefined && { agentId }),
        ...(origin !== undefined && { origin }),
        ...(allowedPaths !== undefined && { allowedPaths }),
        ...(project !== undefined && { project }),
      }),
    );
  }

  #refuseLocked(call: ResolvedCall, verdict: Verdict): ToolPermissionError {
    call.deny({ decision: "deny", by: "mode locked" });
    const what = `"${call.toolName}" asks to ${describeEffects(verdict.effects)}${because(verdict)}`;
    return new ToolPermissionError(
      call.toolName,
      `Permission denied: ${what}, and mode locked asks nobody; a rule that allows it, or another mode, would let it run`,
    );
  }
}

const noEffects: readonly Effect[] = [];

function listParts({ call, verdict }: ForeseenCall): readonly VerdictPart[] {
  return verdict?.parts ?? [{ toolName: call.tool.name, effects: verdict?.effects ?? [] }];
}

function nameJudgements({ call, judgements }: ForeseenCall): readonly Judgement[] {
  return judgements.map((one) => ({ toolName: call.tool.name, ...one }));
}

function refusePlan(call: ResolvedCall, { planned, verdict }: ForeseenCall): ToolPermissionError {
  const denial = verdict as Verdict;
  call.deny(toDecision(denial));
  return new ToolPermissionError(
    call.toolName,
    `Permission denied: a rule forbids "${planned.name}" (step "${planned.id}") to ${describeEffects(denial.effects)}${because(denial)}; nothing of "${call.toolName}" was done`,
    { details: { step: planned.id } },
  );
}

function formatReason({ reason }: Rule): string {
  return reason === undefined ? "" : ` (${reason})`;
}

/** The same rules in each mode; compiled when first used. */
class Policies {
  readonly #rules: readonly Rule[];
  readonly #compiled = new Map<Mode, PermissionPolicy>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  of(mode: Mode): PermissionPolicy {
    let policy = this.#compiled.get(mode);
    if (policy === undefined) {
      policy = new PermissionPolicy([...this.#rules, ...modeRules[mode]]);
      this.#compiled.set(mode, policy);
    }
    return policy;
  }
}

function noteShadow(call: ResolvedCall, verdict: Verdict, shadow: Verdict): void {
  if (shadow.decision === verdict.decision) return;
  call.asides.push(`shadow: ${shadow.decision} instead of ${verdict.decision}, by ${toDecision(shadow).by}`);
}

function noteIsolation({ effects, asides }: ResolvedCall): void {
  for (const { kind, isolation } of effects) {
    if (kind !== "run" || isolation === undefined) continue;
    const note = `isolation: ${isolation}`;
    if (!asides.includes(note)) asides.push(note);
  }
}

const decisionsOfRules = new WeakMap<Rule, LedgerDecision>();

/** The same object for the same rule: most calls are decided by a few. */
function toDecision({ decision, rule }: Verdict): LedgerDecision {
  if (rule === undefined) return { decision, by: "default" };
  let decided = decisionsOfRules.get(rule);
  if (decided === undefined) {
    decided = { decision, by: JSON.stringify(rule) };
    decisionsOfRules.set(rule, decided);
  }
  return decided;
}
