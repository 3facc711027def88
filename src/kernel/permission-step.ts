import { type Clock, isPromise, type MaybePromise, messageOf, showInvisible } from "../base/index.ts";
import type { Approval, ApprovalAnswer, Approver, Grants } from "./approval.ts";
import type { Call } from "./call.ts";
import { ToolPermissionError } from "./errors.ts";
import type { PermissionPolicy, Verdict } from "./permissions.ts";
import type { Effect } from "./tool.ts";

export interface PermissionOptions {
  readonly policy: PermissionPolicy;
  readonly approver: Approver | undefined;
  readonly grants: Grants | undefined;
  readonly timeoutMs: number;
  readonly howToAllow: string;
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
    if (effects === undefined) return this.#judge(call);
    if (isPromise(effects)) {
      return effects.then((found) => {
        call.effects = found;
        return this.#judge(call);
      });
    }
    call.effects = effects;
    return this.#judge(call);
  }

  #judge(call: Call): MaybePromise<void> {
    const verdict = this.#options.policy.decide(call.tool, call.params, call.effects);
    switch (verdict.decision) {
      case "allow":
        call.decision = { decision: "allow", by: ruleText(verdict) };
        return;
      case "deny":
        call.decision = { decision: "deny", by: ruleText(verdict) };
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
    const { grants } = this.#options;
    const { scope, toolName, params, context } = call;
    const key = { scope, agentId: context.agentId, toolName, toolVersion: call.tool.version, params };
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
        `Permission denied: ${what}${because(verdict)}, and there is nobody to ask here; ${this.#options.howToAllow}`,
      );
    }
    const answer = await this.#askPerson(call, verdict, approver);
    call.decision = { decision: answer.approved ? "allow" : "deny", by: `person:${answer.by}` };
    if (!answer.approved) {
      const why = answer.reason === undefined ? "" : ` (${answer.reason})`;
      throw new ToolPermissionError(toolName, `Permission denied: ${what}, and ${answer.by} said no${why}`);
    }
    if (answer.remember === true) await grants?.add(key, answer.by);
  }

  async #askPerson(call: Call, verdict: Verdict, approver: Approver): Promise<ApprovalAnswer> {
    const { clock, timeoutMs } = this.#options;
    const tooLate = new ToolPermissionError(
      call.toolName,
      `Permission denied: nobody answered within ${timeoutMs} ms whether "${call.toolName}" may ${describeEffects(verdict.effects)}`,
    );
    const patience = call.patience(clock, timeoutMs, tooLate);
    const { signal } = patience;
    try {
      const asked = approver.ask(this.#toApproval(call, verdict), signal);
      const answer = await Promise.race([asked, whenAborted(signal)]);
      if (signal.aborted) throw signal.reason;
      return answer;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      return {
        approved: false,
        by: "nobody",
        reason: `the question could not be asked: ${messageOf(thrown)}`,
      };
    } finally {
      patience.end();
    }
  }

  #toApproval(call: Call, verdict: Verdict): Approval {
    const { clock, timeoutMs, newId } = this.#options;
    const now = clock.now();
    return {
      id: newId("a"),
      callId: call.id,
      toolName: call.toolName,
      toolTitle: call.tool.title ?? call.toolName,
      toolVersion: call.tool.version,
      params: call.params,
      effects: verdict.effects,
      reason:
        verdict.rule?.reason ?? (verdict.rule === undefined ? "no rule allows it" : "a rule says to ask"),
      scope: call.scope,
      agentId: call.context.agentId,
      userId: call.context.userId,
      origin: call.context.origin,
      createdAt: now,
      expiresAt: now + timeoutMs,
    };
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const verbs: Readonly<Record<Effect["kind"], string>> = {
  read: "read",
  write: "change",
  delete: "delete",
  run: "run",
  connect: "connect to",
};

/** `change /a/b, run ls -l`; at most three effects, each with invisible characters shown. */
export function describeEffects(effects: readonly Effect[]): string {
  if (effects.length === 0) return "run";
  const shown = effects.slice(0, 3).map(({ kind, target }) => `${verbs[kind]} ${showInvisible(target)}`);
  const more = effects.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function because(verdict: Verdict): string {
  return verdict.rule?.reason === undefined ? "" : ` (${verdict.rule.reason})`;
}

function ruleText(verdict: Verdict): string {
  return verdict.rule === undefined ? "default" : JSON.stringify(verdict.rule);
}
