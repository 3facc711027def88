import {
  type CallContext,
  type CheckContext,
  type Effect,
  type ToolContext,
  ToolError,
} from "../../../kernel/index.ts";
import { awaitsPerson } from "../store/awaits-person.ts";
import type { Task, Tasks } from "../store/tasks.ts";

/** Channels at whose other end a person sits. */
const personChannels: readonly string[] = ["cli", "console"];
/** The risk that the question names if other tasks go on without a task that a person has to approve. */
export const unapprovedRisk = "tasks go on without what a person has to approve";
/** Maximum number of tasks that are looked at. If there are more, one of them is assumed to need a person. */
const mostLookedAt = 500;

/**
 * Finds a task that a person still has to look at, among some tasks and all that they depend on. Other tasks that go on
 * without these tasks go on without that person.
 */
export async function findUnapproved(
  tasks: Pick<Tasks, "edges">,
  scope: string,
  some: readonly Task[],
): Promise<Task | undefined> {
  const seen = new Set<string>();
  const open = [...some];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.state === "COMPLETED" || seen.has(one.id)) continue;
    if (awaitsPerson(one) || seen.size === mostLookedAt) return one;
    seen.add(one.id);
    open.push(...(await tasks.edges(scope, one.id)).dependsOn);
  }
  return undefined;
}

/** A tool, and which of its calls need a person's yes. */
export interface PersonGateOptions<Params> {
  readonly tool: string;
  readonly effects: (params: Params) => readonly Effect[];
  /** What a yes lets happen, for the person who is asked. */
  readonly risk?: string;
  /** Why an agent may not make a call, and how a person does it; undefined for a call that anybody may make. */
  readonly findRefusal: (params: Params, scope: string) => Promise<string | undefined> | string | undefined;
}

/** The parts of a tool that ask for the yes and require it. */
export interface PersonGate<Params> {
  readonly effects: (params: Params, context: CallContext) => Promise<readonly Effect[]>;
  readonly check: (params: Params, context: CheckContext) => Promise<void>;
  /**
   * Called first by `execute`.
   *
   * @throws {ToolError} TOOL_BLOCKED: the call needs a person's yes and has none.
   */
  readonly require: (params: Params, context: ToolContext) => Promise<void>;
}

/**
 * Makes the parts of a tool that require a person's yes: the executor asks about such a call whatever the rules allow, and
 * a person at the terminal or in the console answers, with their PIN if one is set. A call of an agent is refused before
 * anybody is asked. A call that its shell makes is asked about, but nobody is there to answer.
 */
export function createPersonGate<Params>({
  tool,
  effects,
  risk,
  findRefusal,
}: PersonGateOptions<Params>): PersonGate<Params> {
  return {
    async effects(params, { scope = "local" }) {
      const plain = effects(params);
      if ((await findRefusal(params, scope)) === undefined) return plain;
      return plain.map((effect) => ({ ...effect, confirm: true, ...(risk !== undefined && { risk }) }));
    },
    async check(params, context) {
      const refusal = await findRefusal(params, context.scope);
      if (refusal !== undefined && !isPerson(context)) throw new ToolError(tool, "TOOL_BLOCKED", refusal);
    },
    async require(params, context) {
      const refusal = await findRefusal(params, context.scope);
      if (refusal === undefined || (isPerson(context) && context.effects.some(isConfirmed))) return;
      throw new ToolError(tool, "TOOL_BLOCKED", refusal);
    },
  };
}

function isPerson({ agentId, origin }: Pick<CheckContext | ToolContext, "agentId" | "origin">): boolean {
  return agentId === undefined && personChannels.includes(origin?.channel ?? "");
}

function isConfirmed({ confirm }: Effect): boolean {
  return confirm === true;
}
