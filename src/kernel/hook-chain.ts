import { type Clock, messageOf } from "../base/index.ts";
import type { Call } from "./call.ts";
import { ToolBlockedError } from "./errors.ts";
import type { Hook, HookCall, HookOutcome } from "./hooks.ts";

/**
 * Step 4. True if a hook changed the arguments, which are then to be validated again.
 *
 * @throws {ToolBlockedError} if a hook blocks, or a blocking hook can't answer.
 */
export async function runBeforeHooks(hooks: readonly Hook[], call: Call, clock: Clock): Promise<boolean> {
  let changed = false;
  for (const hook of hooks) {
    if (hook.before === undefined || hook.appliesTo?.(call.tool) === false) continue;
    const { before } = hook;
    const answer = await answerOf(
      hook,
      call,
      clock,
      (hookCall) => before(hookCall),
      (why) => {
        if (hook.blocking !== false)
          throw new ToolBlockedError(call.toolName, `Blocked: ${why}, and it must agree to this call`);
      },
    );
    if (answer === undefined) continue;
    if ("block" in answer) {
      throw new ToolBlockedError(call.toolName, `Blocked by hook "${hook.name}": ${answer.block}`);
    }
    call.params = answer.params;
    call.notes.push(`hook "${hook.name}" changed the arguments`);
    changed = true;
  }
  return changed;
}

/** Step 8. A hook that fails here is noted: the call has happened. */
export async function runAfterHooks(
  hooks: readonly Hook[],
  call: Call,
  came: HookOutcome,
  clock: Clock,
): Promise<HookOutcome> {
  let outcome = came;
  for (const hook of hooks) {
    if (hook.after === undefined || hook.appliesTo?.(call.tool) === false) continue;
    const { after } = hook;
    const seen = outcome;
    const answer = await answerOf(
      hook,
      call,
      clock,
      (hookCall) => after(hookCall, seen),
      () => {},
    );
    if (answer === undefined || !outcome.success) continue;
    outcome = { success: true, value: answer.value };
    call.notes.push(`hook "${hook.name}" changed the result`);
  }
  return outcome;
}

/** The hook's answer; undefined where it failed or took too long, after `failed` was told and the call noted. */
async function answerOf<Answer>(
  hook: Hook,
  call: Call,
  clock: Clock,
  act: (hookCall: HookCall) => Answer | PromiseLike<Answer>,
  failed: (why: string) => void,
): Promise<Answer | undefined> {
  const timeoutMs = hook.timeoutMs ?? 10_000;
  const patience = call.patience(clock, timeoutMs, new Error(`it took longer than ${timeoutMs} ms`));
  const { signal } = patience;
  const { id: callId, tool, params, context } = call;
  try {
    return await new Promise<Answer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
      else Promise.resolve(act({ callId, tool, params, context, signal })).then(resolve, reject);
    });
  } catch (thrown) {
    if (context.signal?.aborted) throw call.cancelled();
    const why = `hook "${hook.name}" failed: ${messageOf(thrown)}`;
    failed(why);
    call.notes.push(why);
    return undefined;
  } finally {
    patience.end();
  }
}
