import type { ResolvedCall } from "../call/call.ts";
import type { Redact } from "../secrets/redactor.ts";
import { redactValue } from "../secrets/secrets.ts";
import { type Effect, redactEffect } from "../tool/effect.ts";
import type { Approval, CallKey, GrantKey, GrantOffer } from "./approval.ts";
import { findRemembrance, type Judgement, type Verdict, wantsExactAnswer } from "./permissions.ts";

/** Who may answer any question: whoever holds the machine that haft runs on. */
const owners = "owner:*";

/** The identities that may answer a question which is put to this approver, if there is one. Any owner may answer. */
export function listApprovers(approver: string | undefined): readonly string[] {
  return approver === undefined || approver.startsWith("owner:") ? [owners] : [owners, approver];
}

/** What a question says beside the call itself. */
export interface Asking {
  readonly id: string;
  readonly reason: string;
  readonly offers: readonly GrantOffer[];
  readonly approvers: readonly string[];
  readonly createdAt: number;
  readonly waitsUntil: number | undefined;
  readonly expiresAt: number;
}

/** The part of a question that says which call it is about. Two calls that agree in all of it look the same to a person. */
export type AskedCall = Pick<
  Approval,
  | "toolName"
  | "toolTitle"
  | "toolVersion"
  | "params"
  | "effects"
  | "folder"
  | "scope"
  | "agentId"
  | "userId"
  | "project"
>;

/** A call as a person is asked about it: everything but its secrets. */
export function toApproval(call: ResolvedCall, verdict: Verdict, asking: Asking): Approval {
  const { context, redact } = call;
  const shown = (text: string) => redact?.(text) ?? text;
  return {
    ...asking,
    ...toAskedCall(call, verdict),
    callId: call.id,
    reason: shown(asking.reason),
    offers: redact === undefined ? asking.offers : asking.offers.map((offer) => shownOffer(offer, redact)),
    origin: context.origin,
  };
}

export function toAskedCall(call: ResolvedCall, verdict: Verdict): AskedCall {
  const { context, redact, tool } = call;
  const started = verdict.effects.find(({ folder }) => folder !== undefined);
  const folder = started?.folder ?? context.project ?? context.allowedPaths?.[0];
  return {
    toolName: call.toolName,
    toolTitle: tool.title ?? call.toolName,
    toolVersion: tool.version,
    params: redactValue(askedParams(call), redact),
    effects: redact === undefined ? verdict.effects : verdict.effects.map((one) => redactEffect(one, redact)),
    folder: folder && (redact?.(folder) ?? folder),
    scope: call.scope,
    agentId: context.agentId,
    userId: context.userId,
    project: context.project,
  };
}

/** The arguments as they are shown: for a call that will make others, with each of those. */
function askedParams({ shownParams, plan }: ResolvedCall): unknown {
  return plan === undefined ? shownParams : { arguments: shownParams, calls: plan.toShown() };
}

/** What it covers stays as it is: that is compared, not shown. */
function shownOffer(offer: GrantOffer, redact: Redact): GrantOffer {
  const { label, covers, leaves } = offer;
  return { ...offer, label: redact(label), covers: redact(covers), leaves: redact(leaves) };
}

/** Undefined for a call with secret arguments: what is kept could be guessed from. */
export function toCallKey(call: ResolvedCall): CallKey | undefined {
  const { scope, toolName, plan, context } = call;
  if (call.hides !== undefined || plan?.hides === true) return undefined;
  const { agentId, userId, origin, allowedPaths = [], project } = context;
  const caller = { principal: origin?.principal, session: origin?.session };
  const workingFolder = project === allowedPaths[0] ? undefined : project;
  const called = { toolName, toolVersion: call.tool.version };
  const of = { scope, agentId, userId, caller, ...called, allowedPaths, workingFolder };
  if (plan === undefined) return { ...of, params: call.params, effects: call.effects };
  return { ...of, params: { asked: askedParams(call), versions: plan.versions }, effects: plan.effects };
}

/** Removes the `project` mark if the arguments are untrusted: a yes to the project's own programs does not cover them. */
export function withoutProject(effect: Effect, { trust }: Pick<ResolvedCall, "trust">): Effect {
  if (trust !== "untrusted" || effect.project === undefined) return effect;
  const { project: _project, ...rest } = effect;
  return rest;
}

/** Undefined where no answer may be remembered. */
export function toGrantKey(
  call: ResolvedCall,
  key: CallKey | undefined,
  judgements: readonly Judgement[],
): GrantKey | undefined {
  const longest = findRemembrance(judgements);
  if (key === undefined || longest === "never") return undefined;
  const effects = judgements.flatMap(({ decision, effect }) => (decision === "ask" ? (effect ?? []) : []));
  const asked = effects.map((effect) => withoutProject(effect, call));
  const exactOnly = wantsExactAnswer(judgements) && { exactOnly: true as const };
  return { ...key, session: call.context.origin?.session, longest, asked, ...exactOnly };
}
