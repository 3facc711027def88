import {
  type Clock,
  isPromise,
  isRecord,
  type MaybePromise,
  messageOf,
  showInvisible,
} from "../base/index.ts";
import type { Approval, ApprovalAnswer, Approver, Grants } from "./approval.ts";
import type { Call } from "./call.ts";
import { type Effect, effectVerbs } from "./effect.ts";
import { ToolPermissionError, ToolTimeoutError } from "./errors.ts";
import type { LedgerDecision } from "./ledger.ts";
import type { PermissionPolicy, Rule, Verdict } from "./permissions.ts";
import type { Redact } from "./redact.ts";
import { redactValue } from "./secrets.ts";

export interface PermissionOptions {
  readonly policy: PermissionPolicy;
  readonly approver: Approver | undefined;
  readonly grants: Grants | undefined;
  /** How long a question to a person stays open. */
  readonly timeoutMs: number;
  /** How long a tool may take to say what a call will do. */
  readonly effectsTimeoutMs: number;
  readonly howToAllow: (toolName: string, verdict: Verdict) => string;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

/** Step 5: what rules, remembered answers and people say of a call. Returns for yes and throws for no. */
export class Permission {
  readonly #options: PermissionOptions;

  constructor(options: PermissionOptions) {
    this.#options = options;
  }

  decide(call: Call): MaybePromise<void> {
    const effects = call.tool.effects?.(call.params as never, call.context);
    if (isPromise(effects)) return this.#foresee(call, effects);
    if (effects !== undefined) call.effects = effects;
    return this.#judge(call);
  }

  async #foresee(call: Call, effects: PromiseLike<readonly Effect[]>): Promise<void> {
    const { clock, effectsTimeoutMs: ms } = this.#options;
    call.effects = await call.within(
      clock,
      ms,
      () => new ToolTimeoutError(call.toolName, ms),
      () => effects,
    );
    await this.#judge(call);
  }

  #judge(call: Call): MaybePromise<void> {
    const verdict = this.#options.policy.decide(call.tool, call.params, call.effects);
    call.notes.push(...risksOf(call.effects));
    switch (verdict.decision) {
      case "allow":
        call.decision = decisionOf(verdict);
        return;
      case "deny":
        call.decision = decisionOf(verdict);
        throw new ToolPermissionError(
          call.toolName,
          `Permission denied: a rule forbids "${call.toolName}" to ${describeEffects(verdict.effects)}${because(verdict)}`,
        );
      case "ask":
        return this.#ask(call, verdict);
      default:
        return verdict.decision satisfies never;
    }
  }

  async #ask(call: Call, verdict: Verdict): Promise<void> {
    // An answer for a secret argument would be remembered by a digest that it can be guessed from.
    const grants = call.hides === undefined ? this.#options.grants : undefined;
    const { scope, toolName, params, context, effects } = call;
    const toolVersion = call.tool.version;
    const key = { scope, agentId: context.agentId, toolName, toolVersion, params, effects };
    const granted = await grants?.find(key);
    if (granted !== undefined) {
      call.decision = { decision: "allow", by: `grant:${granted}` };
      return;
    }
    const approver = context.approver ?? this.#options.approver;
    const what = `"${toolName}" asks to ${describeEffects(verdict.effects)}`;
    if (approver === undefined) {
      call.decision = { decision: "deny", by: "nobody to ask" };
      throw new ToolPermissionError(
        toolName,
        `Permission denied: ${what}${because(verdict)}, and there is nobody to ask here; ${this.#options.howToAllow(toolName, verdict)}`,
        { details: { approver: null } },
      );
    }
    const answer = await this.#askPerson(call, verdict, approver);
    const approved = answer.approved === true;
    call.decision = { decision: approved ? "allow" : "deny", by: `person:${answer.by}` };
    if (!approved) {
      const why = answer.reason === undefined ? "" : ` (${answer.reason})`;
      throw new ToolPermissionError(toolName, `Permission denied: ${what}, and ${answer.by} said no${why}`);
    }
    if (answer.remember === true && grants !== undefined) {
      await grants.add(key, answer.by).catch(() => call.notes.push("the answer could not be remembered"));
    }
  }

  async #askPerson(call: Call, verdict: Verdict, approver: Approver): Promise<ApprovalAnswer> {
    const { clock, timeoutMs } = this.#options;
    const tooLate = new ToolPermissionError(
      call.toolName,
      `Permission denied: nobody answered within ${timeoutMs} ms whether "${call.toolName}" may ${describeEffects(verdict.effects)}`,
    );
    try {
      const answer = await call.within(
        clock,
        timeoutMs,
        () => tooLate,
        (signal) => approver.ask(this.#toApproval(call, verdict), signal),
      );
      if (!isRecord(answer)) throw new TypeError("there was no answer to read");
      return answer;
    } catch (thrown) {
      call.decision = { decision: "deny", by: "nobody answered" };
      if (thrown === tooLate || call.cancelled) throw thrown;
      throw new ToolPermissionError(
        call.toolName,
        `Permission denied: "${call.toolName}" asks to ${describeEffects(verdict.effects)}, and the question could not be asked: ${messageOf(thrown)}`,
        { cause: thrown },
      );
    }
  }

  #toApproval(call: Call, verdict: Verdict): Approval {
    const { clock, timeoutMs, newId } = this.#options;
    const { redact } = call;
    const now = clock.now();
    return {
      id: newId("a"),
      callId: call.id,
      toolName: call.toolName,
      toolTitle: call.tool.title ?? call.toolName,
      toolVersion: call.tool.version,
      params: redactValue(call.shownParams, redact),
      effects:
        redact === undefined ? verdict.effects : verdict.effects.map((effect) => shown(effect, redact)),
      reason: [reasonOf(verdict), ...unclearOf(verdict.effects), ...risksOf(verdict.effects)].join("; "),
      scope: call.scope,
      agentId: call.context.agentId,
      userId: call.context.userId,
      origin: call.context.origin,
      createdAt: now,
      expiresAt: now + timeoutMs,
    };
  }
}

function shown(effect: Effect, redact: Redact): Effect {
  const target = redact(effect.target);
  return target === effect.target ? effect : { ...effect, target };
}

/** `change /a/b, run ls -l`; at most three effects, each with invisible characters shown. */
export function describeEffects(effects: readonly Effect[]): string {
  if (effects.length === 0) return "run";
  const shown = effects
    .slice(0, 3)
    .map(({ kind, target }) => `${effectVerbs[kind]} ${showInvisible(target)}`);
  const more = effects.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function reasonOf({ rule }: Verdict): string {
  return rule?.reason ?? (rule === undefined ? "no rule allows it" : "a rule says to ask");
}

/** More than a person reads before an answer would hide what matters. */
const mostRisks = 5;

function risksOf(effects: readonly Effect[]): string[] {
  return firstFew(effects, ({ risk }) => risk);
}

function unclearOf(effects: readonly Effect[]): string[] {
  return firstFew(effects, ({ unclear }) => unclear);
}

function firstFew(effects: readonly Effect[], saying: (effect: Effect) => string | undefined): string[] {
  const said = new Set<string>();
  for (const effect of effects) {
    const words = saying(effect);
    if (words !== undefined) said.add(words);
  }
  return Array.from(said).slice(0, mostRisks);
}

function because(verdict: Verdict): string {
  return verdict.rule?.reason === undefined ? "" : ` (${verdict.rule.reason})`;
}

const decisionsOfRules = new WeakMap<Rule, LedgerDecision>();

/** The same object for the same rule: most calls are decided by a few. */
function decisionOf({ decision, rule }: Verdict): LedgerDecision {
  if (rule === undefined) return { decision, by: "default" };
  let decided = decisionsOfRules.get(rule);
  if (decided === undefined) {
    decided = { decision, by: JSON.stringify(rule) };
    decisionsOfRules.set(rule, decided);
  }
  return decided;
}
