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
/** What a person is told who is asked to let tasks go on without the approval of another. */
export const goesOnUnapproved = "tasks go on without what a person has to approve";
/** The most tasks that are looked at: beyond them one is taken for granted that a person has to look at. */
const mostLookedAt = 500;

/**
 * Finds a task that a person still has to look at, among some tasks and all that they depend on. What lets others go on
 * without these tasks lets them go on without that person.
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

/** Calls of a tool of which some need a person's yes. */
export interface PersonsCalls<Params> {
  readonly tool: string;
  readonly effects: (params: Params) => readonly Effect[];
  /** What a yes lets happen, for the person who is asked. */
  readonly risk?: string;
  /** Why an agent may not make a call, and how a person does it; undefined for a call that anybody may make. */
  readonly findRefusal: (params: Params, scope: string) => Promise<string | undefined> | string | undefined;
}

/** Parts of a tool that has such calls. */
export interface PersonsGate<Params> {
  readonly effects: (params: Params, context: CallContext) => Promise<readonly Effect[]>;
  readonly check: (params: Params, context: CheckContext) => Promise<void>;
  /**
   * Called when the call is made.
   *
   * @throws {ToolError} TOOL_BLOCKED for a call that needs a person's yes and has none.
   */
  readonly require: (params: Params, context: ToolContext) => Promise<void>;
}

/**
 * The only way to a person's yes about a task: the gate asks about the call, whatever rules allow, and the answer of a
 * person at the terminal or in the console, with their PIN where one is set, lets it run. What an agent calls is refused
 * before anybody is asked; what its own shell calls is asked about, and has nobody there to answer.
 */
export function askPerson<Params>({
  tool,
  effects,
  risk,
  findRefusal,
}: PersonsCalls<Params>): PersonsGate<Params> {
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
