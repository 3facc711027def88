import { type Clock, getErrorMessage, isRecord, type MaybePromise } from "../../base/index.ts";
import { ToolBlockedError, ToolWithheldError } from "../errors.ts";
import { redactValue } from "../secrets/secrets.ts";
import type { Tool } from "../tool/tool.ts";
import { toToolInfo } from "../tool/tool-info.ts";
import type { Call, CallSoFar, FoundCall, FoundSoFar, ValidCall } from "./call.ts";
import type { AfterAnswer, Hook, HookCall, HookOutcome } from "./hooks.ts";

/**
 * Step 4. Returns the call whose arguments hooks have changed, which are then to be validated again; undefined if none has.
 *
 * @throws {ToolBlockedError} if a hook blocks, or a blocking hook can't answer.
 */
export async function runBeforeHooks(
  hooks: readonly Hook[],
  call: ValidCall,
  clock: Clock,
): Promise<FoundCall | undefined> {
  let changed: FoundCall | undefined;
  for (const hook of hooks) {
    const { answer, fault } = await ask(hook, call, clock, hook.before);
    if (fault !== undefined && hook.blocking !== false)
      throw new ToolBlockedError(call.toolName, `Blocked: ${fault}, and it must agree to this call`);
    if (answer === undefined) continue;
    if ("block" in answer)
      throw new ToolBlockedError(call.toolName, `Blocked by hook "${hook.name}": ${String(answer.block)}`);
    changed = call.change(answer.params);
    call.notes.push(`hook "${hook.name}" changed the arguments`);
  }
  return changed;
}

/** Step 8. A result that a hook withholds, or a blocking one can't look at, becomes a failure that says so. Never rejects. */
export async function runAfterHooks(
  hooks: readonly Hook[],
  call: FoundSoFar,
  came: HookOutcome,
  clock: Clock,
): Promise<HookOutcome> {
  let outcome = came;
  for (const hook of hooks) {
    const seen = outcome;
    const after = hook.after && ((hookCall: HookCall) => hook.after?.(hookCall, seen));
    const { answer, fault } = await ask(hook, call, clock, after);
    const why = whyWithheld(hook, answer, fault);
    if (why !== undefined && call.ran) {
      outcome = { success: false, error: new ToolWithheldError(call.toolName, why, outcome) };
      call.partial = ""; // What it showed before belongs to it.
    } else if (outcome.success && answer !== undefined && "value" in answer) {
      outcome = { success: true, value: answer.value };
      call.notes.push(`hook "${hook.name}" changed the result`);
    }
  }
  return outcome;
}

/** Undefined where it is not. */
function whyWithheld(
  { name, blocking }: Hook,
  answer: Exclude<AfterAnswer, void> | undefined,
  fault: string | undefined,
): string | undefined {
  if (fault !== undefined)
    return blocking === false ? undefined : `${fault}, and it must agree to every result`;
  return answer !== undefined && "block" in answer
    ? `hook "${name}" withholds it: ${String(answer.block)}`
    : undefined;
}

interface Asked<Answer> {
  readonly answer?: Answer | undefined;
  /** Why there is no answer, where there should be one. */
  readonly fault?: string;
}

/** Asks one side of a hook, if the hook has it and is for this tool. Rejects only if the caller cancels. */
async function ask<Answer extends object>(
  hook: Hook,
  call: Call & { readonly tool: Tool; readonly params: unknown },
  clock: Clock,
  side: ((hookCall: HookCall) => MaybePromise<Answer | undefined | void>) | undefined,
): Promise<Asked<Answer>> {
  if (side === undefined) return {};
  const { id: callId, params, context } = call;
  const tool = toToolInfo(call.tool);
  const shownParams = call.hides === undefined ? params : redactValue(call.shownParams, call.redact);
  const timeoutMs = hook.timeoutMs ?? 10_000;
  const tooLong = () => new Error(`it took longer than ${timeoutMs} ms`);
  try {
    if (hook.appliesTo?.(tool) === false) return {};
    const answer = await call.within(clock, timeoutMs, tooLong, (signal) =>
      side.call(hook, { callId, tool, params, shownParams, context, signal }),
    );
    if (answer === undefined || isRecord(answer)) return { answer: answer as Answer | undefined };
    throw new TypeError("its answer is not an object");
  } catch (thrown) {
    if (call.cancelled) throw call.cancellation();
    const fault = `hook "${hook.name}" failed: ${getErrorMessage(thrown)}`;
    call.notes.push(fault);
    return { fault };
  }
}

/** Whether a call came as far as its tool. */
export function isFound(call: CallSoFar): call is FoundSoFar {
  return call.tool !== undefined;
}
