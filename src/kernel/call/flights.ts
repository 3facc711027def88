import { canonicalJson, cutTail, isPromise, type MaybePromise } from "../../base/index.ts";
import { ToolCancelledError, ToolTimeoutError } from "../errors.ts";
import { ToolContent } from "../tool/content.ts";
import type { Tool } from "../tool/tool.ts";
import type { CallSoFar, DecidedCall, RunningCall } from "./call.ts";
import type { ToolUpdate } from "./context.ts";
import { type RunLimits, type RunServices, runTool } from "./run-tool.ts";
import type { Turn } from "./slots.ts";

/** A call of this many characters of arguments is not compared with others. */
const mostParamsChars = 100_000;

/** A call that runs, and that equal calls may take their result from. */
interface Flight {
  readonly call: RunningCall;
  /** Its arguments as it began: a tool may change them. */
  readonly params: string;
  readonly ran: PromiseLike<unknown>;
}

/** What a call gets from the one that it joined: its result, unless that one was given up. */
export interface Joined {
  readonly value: unknown;
  readonly isGivenUp: boolean;
  /** What is left of the time of this call, if it has to run the tool itself. */
  readonly limits: RunLimits;
}

/** Services that tools run with, and the receiver of errors that listeners throw. */
export interface FlightServices extends RunServices {
  readonly onError: (error: unknown) => void;
}

/**
 * Runs a tool that only reads once for all equal calls at the same moment (single flight). Each call has its own
 * decision, record and deadline. If the call that runs the tool is given up, the next one runs it anew.
 */
export class Flights {
  readonly #services: FlightServices;
  readonly #byTool = new Map<Tool, readonly Flight[]>();

  constructor(services: FlightServices) {
    this.#services = services;
  }

  /** Finds an equal call that runs the tool already. */
  find(call: DecidedCall): Flight | undefined {
    const flights = this.#byTool.get(call.tool);
    return flights === undefined || !mayJoin(call) ? undefined : findEqual(flights, call, writeParams(call));
  }

  /** Runs the tool, unless an equal call began to run it while this one waited for its turn. */
  run(call: RunningCall, turn: Turn, limits: RunLimits): MaybePromise<unknown> {
    const params = mayJoin(call) ? writeParams(call) : undefined;
    if (params === undefined) return runTool(call, turn, limits, this.#services);
    const flight = findEqual(this.#byTool.get(call.tool), call, params);
    if (flight === undefined) return this.#fly(call, turn, limits, params);
    return this.join(call, flight, limits).then((joined) =>
      joined.isGivenUp ? this.#fly(call, turn, joined.limits, params) : joined.value,
    );
  }

  /**
   * Waits for the result of an equal call.
   *
   * @throws what the tool throws; {ToolError} TOOL_TIMEOUT, TOOL_CANCELLED of this call alone.
   */
  async join(call: RunningCall, { call: leader, ran }: Flight, limits: RunLimits): Promise<Joined> {
    const { clock } = this.#services;
    const { timeoutMs } = limits;
    const since = clock.now();
    call.asides.push(`joined: ${leader.id}`);
    const onUpdate = (update: ToolUpdate) => this.#show(call, limits, update);
    if (leader.partial !== "") onUpdate({ type: "output", text: leader.partial });
    const stopFollowing = leader.follow(onUpdate);
    const tooLong = () => new ToolTimeoutError(call.toolName, timeoutMs);
    try {
      const copied = await call.within(clock, timeoutMs, tooLong, () => ran.then(copy, leaveIfGivenUp));
      if (copied !== undefined) return { value: copied.value, isGivenUp: false, limits };
      const left = Math.max(1, timeoutMs - (clock.now() - since));
      call.partial = "";
      return { value: undefined, isGivenUp: true, limits: { ...limits, timeoutMs: left } };
    } finally {
      call.noteInner(leader.inner);
      stopFollowing();
    }
  }

  /**
   * Called for each call before its caller has the result. After a call that changes something nobody joins an earlier
   * one, since that may have read the old state.
   */
  ended({ id, tool, ran }: CallSoFar): void {
    if (this.#byTool.size === 0 || tool === undefined || !ran) return;
    if (tool.annotations.readOnly !== true) return this.#byTool.clear();
    const others = this.#byTool.get(tool)?.filter(({ call }) => call.id !== id) ?? [];
    if (others.length === 0) this.#byTool.delete(tool);
    else this.#byTool.set(tool, others);
  }

  #fly(call: RunningCall, turn: Turn, limits: RunLimits, params: string): MaybePromise<unknown> {
    const ran = runTool(call, turn, limits, this.#services);
    if (isPromise(ran))
      this.#byTool.set(call.tool, [...(this.#byTool.get(call.tool) ?? []), { call, params, ran }]);
    return ran;
  }

  /** Shows an update of the call that runs the tool as one of this call. */
  #show(call: RunningCall, { isAnnounced, maxPartialChars }: RunLimits, update: ToolUpdate): void {
    if (call.over) return;
    if (update.type === "output") call.partial = cutTail(call.partial + update.text, 2 * maxPartialChars);
    try {
      if (isAnnounced) this.#services.onUpdate(call, update);
      call.context.onUpdate?.(update);
    } catch (error) {
      this.#services.onError(error); // The tool of another call goes on.
    }
  }
}

function findEqual(
  flights: readonly Flight[] | undefined,
  call: DecidedCall,
  params: string | undefined,
): Flight | undefined {
  return params === undefined
    ? undefined
    : flights?.find((one) => one.params === params && isSameCaller(one.call, call));
}

/**
 * Whether a call may share a run of its tool. A tool that waits or polls has another result each time; one that reads
 * secrets or calls other tools does so for one call alone.
 */
function mayJoin({ tool, hides, effects }: DecidedCall): boolean {
  const { annotations, mayRepeat, secrets, composes } = tool;
  return (
    annotations.readOnly === true &&
    annotations.idempotent === true &&
    mayRepeat !== true &&
    composes === undefined &&
    (secrets === undefined || secrets.length === 0) &&
    hides === undefined &&
    effects.every(({ kind }) => kind === "read" || kind === "connect")
  );
}

function writeParams({ params }: DecidedCall): string | undefined {
  try {
    const text = canonicalJson(params ?? null);
    return text.length > mostParamsChars ? undefined : text;
  } catch {
    return undefined; // What can't be compared is another call.
  }
}

/** Whether two calls agree in all that the tool sees of its caller and that decides about the call. */
function isSameCaller(one: DecidedCall, other: DecidedCall): boolean {
  const [a, b] = [one.context, other.context];
  return (
    one.scope === other.scope &&
    one.trust === other.trust &&
    one.discloses === other.discloses &&
    a.taskId === b.taskId &&
    a.agentId === b.agentId &&
    a.userId === b.userId &&
    a.mode === b.mode &&
    a.trust === b.trust &&
    a.project === b.project &&
    a.approver === b.approver &&
    a.interaction === b.interaction &&
    isSame(a.origin, b.origin) &&
    isSame(a.allowedPaths, b.allowedPaths) &&
    isSame(a.allowedHosts, b.allowedHosts) &&
    isSame(a.allowedTools, b.allowedTools) &&
    isSame(a.blockedTools, b.blockedTools) &&
    isSame(a.limits, b.limits) &&
    isSame(one.effects, other.effects)
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Copies a value, so that no caller changes the data of another. Undefined if it can't be copied. */
function copy(value: unknown): { readonly value: unknown } | undefined {
  if (typeof value !== "object" || value === null || value instanceof ToolContent) return { value };
  try {
    return { value: structuredClone(value) };
  } catch {
    return undefined;
  }
}

/** A call that was given up, or whose time was over, has no outcome of the tool. */
function leaveIfGivenUp(error: unknown): undefined {
  if (error instanceof ToolCancelledError || error instanceof ToolTimeoutError) return undefined;
  throw error;
}
