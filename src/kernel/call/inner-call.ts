import { ToolCancelledError, ToolError } from "../errors.ts";
import type { Judgement, Verdict } from "../policy/permissions.ts";
import type { PlannedCall } from "../policy/planned-call.ts";
import type { Call, Outer, Planning, ResolvedCall, WithinCall } from "./call.ts";
import type { CallContext, InnerCallOptions } from "./context.ts";

/** Tools that call tools that call tools: a loop of them ends here. */
const mostDepth = 5;

/** The most calls within one call, at any depth: nobody could look through more. */
const mostPlanned = 250;

const mostOutputChars = 4_000_000;

/** How an inner call begins. */
export interface InnerStart extends WithinCall {
  readonly outer: OuterCall;
  readonly context: CallContext;
}

/** The time of a call that others wait within. */
interface OuterTime {
  standStill<Value>(wait: () => Promise<Value>): Promise<Value>;
}

/** A call that makes other calls, as those see it. */
export class OuterCall implements Outer {
  readonly call: ResolvedCall;
  readonly depth: number;
  readonly planning: Planning | undefined;
  readonly #time: OuterTime | undefined;

  /** @param time undefined while the call is not running yet */
  constructor(call: ResolvedCall, time?: OuterTime) {
    this.call = call;
    this.depth = (call.outer?.depth ?? 0) + 1;
    this.#time = time;
    if (time === undefined) this.planning = call.outer?.planning ?? { planner: call, planned: 0 };
  }

  get outermost(): Call {
    return this.call.outer?.outermost ?? this.call;
  }

  /** Its time stands still while a call of it waits for a person. */
  whilePerson<Value>(wait: () => Promise<Value>): Promise<Value> {
    const { outer } = this.call;
    const ours = () => (this.#time === undefined ? wait() : this.#time.standStill(wait));
    return outer === undefined ? ours() : outer.whilePerson(ours);
  }

  /** Whether the yes that it has is one to this call too, which uses that up. */
  answers(call: ResolvedCall, verdict: Verdict, judgements: readonly Judgement[]): boolean {
    return this.call.plan?.takeAnswer(call, verdict, judgements) === true;
  }

  /** @throws {ToolError} TOOL_NOT_CALLABLE for more calls than anybody could look through. */
  countPlanned(): void {
    const { planning } = this;
    if (planning === undefined || ++planning.planned <= mostPlanned) return;
    const { planner } = planning;
    throw new ToolError(
      planner.toolName,
      "TOOL_NOT_CALLABLE",
      `Cannot call "${planner.toolName}": with the calls that its calls make there are more than ${mostPlanned}; make fewer at a time`,
    );
  }

  start(options: InnerCallOptions, until: AbortSignal): InnerStart {
    const { maxOutputChars } = options;
    return {
      outer: this,
      context: this.contextFor(options, until),
      maxOutputChars: maxOutputChars && Math.min(maxOutputChars, mostOutputChars),
    };
  }

  /** Makes the context of calls: they are the caller's, and may do what its calls may. */
  contextFor({ signal, trust, timeoutMs }: InnerCallOptions, until?: AbortSignal): CallContext {
    const {
      callId: _id,
      timeoutMs: _time,
      // A call can't be made again from the middle, so what it calls waits for its answers.
      personMs: _person,
      onUpdate: _update,
      signal: _signal,
      ...context
    } = this.call.context;
    const signals = [until, signal].filter((one) => one !== undefined);
    return {
      ...context,
      ...((trust === "untrusted" || this.call.trust === "untrusted") && { trust: "untrusted" as const }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    };
  }
}

/** Several steps may call the same tool, so the step is named too. */
export function withStep(thrown: unknown, { id }: PlannedCall, { call }: OuterCall): unknown {
  if (thrown instanceof ToolError)
    thrown.message += `; that is step "${id}" of "${call.toolName}", of which nothing was done`;
  return thrown;
}

/** @throws {ToolError} TOOL_CANCELLED, TOOL_NOT_CALLABLE */
export function checkInner(call: Call, { call: outer, depth }: Outer): void {
  if (outer.over) throw new ToolCancelledError(call.toolName);
  checkDepth(call, { depth });
}

/** @throws {ToolError} TOOL_NOT_CALLABLE */
export function checkDepth(call: Call, { depth }: Pick<Outer, "depth">): void {
  if (depth <= mostDepth) return;
  throw new ToolError(
    call.toolName,
    "TOOL_NOT_CALLABLE",
    `Cannot call "${call.toolName}" from within ${depth} calls that wait for each other: ${mostDepth} is the most; call it from further out`,
  );
}
