import { isRecord } from "../../base/index.ts";
import { laterText } from "./planned-call.ts";

/** A call that another one will make, as whoever is asked about that one is shown it. */
export interface ShownCall {
  readonly step: string;
  readonly tool: string;
  /** The steps that it waits for beside those it takes something from. */
  readonly after: readonly string[];
  readonly arguments: unknown;
}

/** What is asked about of a call that will make others. */
export interface ShownPlan {
  readonly calls: readonly ShownCall[];
  /** The call's own arguments, less what its calls already say. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/**
 * Reads the calls out of the `params` of an {@link Approval}, in their order; undefined for a call that makes no
 * others. `rest` has all else that the params say.
 *
 * @example
 * ```ts
 * const call = { step: "list", tool: "glob", arguments: { pattern: "*.md" } };
 * const plan = readShownPlan({ arguments: { name: "tidy" }, calls: [call] });
 * plan?.calls.map(({ tool }) => tool); // → ["glob"]
 * readShownPlan({ path: "notes.txt" }); // → undefined
 * ```
 */
export function readShownPlan(params: unknown): ShownPlan | undefined {
  if (!hasOnly(params, ["arguments", "calls"])) return undefined;
  const { arguments: own, calls } = params;
  if (!isRecord(own) || !Array.isArray(calls) || calls.length === 0) return undefined;
  if (!calls.every(isCall)) return undefined;
  const { steps, ...others } = own;
  const said = isSaid(steps, calls) ? steps : undefined;
  return {
    calls: calls.map((call, at) => ({ ...call, after: said?.[at]?.after ?? [] })),
    rest: said === undefined ? own : others,
  };
}

type Call = Omit<ShownCall, "after">;

interface Step {
  readonly id: string;
  readonly tool: string;
  readonly arguments?: unknown;
  readonly after?: readonly string[];
}

function isCall(value: unknown): value is Call {
  return (
    hasOnly(value, ["step", "tool", "arguments"]) &&
    typeof value["step"] === "string" &&
    typeof value["tool"] === "string"
  );
}

function isStep(value: unknown): value is Step {
  if (!hasOnly(value, ["id", "tool", "arguments", "after"])) return false;
  const { after = [] } = value;
  return Array.isArray(after) && after.every((id) => typeof id === "string");
}

/** Steps that `calls` were made of, with nothing in them that those do not show. */
function isSaid(steps: unknown, calls: readonly Call[]): steps is readonly Step[] {
  return (
    Array.isArray(steps) &&
    steps.length === calls.length &&
    steps.every((step, at) => {
      const call = calls[at];
      if (call === undefined || !isStep(step)) return false;
      return (
        step.id === call.step && hasTool(call, step) && shows(getOwnArguments(call), step.arguments ?? {})
      );
    })
  );
}

/** A call names the version, too, that its step came to. */
function hasTool(call: Call, step: Step): boolean {
  return call.tool === step.tool || call.tool.startsWith(`${step.tool}@`);
}

/** The arguments of a call, whether or not it makes others in turn. */
function getOwnArguments({ arguments: shown }: Call): unknown {
  return readShownPlan(shown) === undefined ? shown : (shown as { readonly arguments: unknown }).arguments;
}

/** A call has at least what its step says: defaults come to it, and references stand as what they will come from. */
function shows(shown: unknown, said: unknown): boolean {
  if (Array.isArray(said)) {
    return (
      Array.isArray(shown) && shown.length === said.length && said.every((item, at) => shows(shown[at], item))
    );
  }
  if (!isRecord(said)) return Object.is(shown, said);
  const { $from } = said;
  if (typeof $from === "string" && shown === laterText($from)) return hasOnly(said, ["$from"]);
  return (
    isRecord(shown) &&
    Object.entries(said).every(([key, value]) => Object.hasOwn(shown, key) && shows(shown[key], value))
  );
}

function hasOnly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  return isRecord(value) && Object.keys(value).every((key) => keys.includes(key));
}
