import type { ToolContext, Trust } from "../../../kernel/index.ts";
import type { MemoryAuthor, MemoryEntry } from "./memory-entry.ts";
import { pathPart } from "./path-part.ts";

/** Who works with memory, and what was decided that they may do. */
export interface MemoryCaller {
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** The trust of what the caller writes. @default "trusted" */
  readonly trust?: Trust;
  /** The key of the entry that a person said yes to changing. Absent: nobody did. */
  readonly consents?: (key: string) => boolean;
  /**
   * Whether the call was decided as one that changes this entry: what it may do is what it said before. Absent: it
   * was not asked what it would change.
   */
  readonly declares?: (key: string) => boolean;
  /** A person at haft's own commands, who may do all that the admin of every entry may. @default false */
  readonly owner?: boolean;
}

/** The part of a call that says whose memory it works with. */
export interface MemoryContext {
  /** @default "local" */
  readonly scope?: string | undefined;
  readonly agentId?: string | undefined;
}

/**
 * Says whose memory a call works with: `scope/agent` for a call of an agent, else the scope, `local` by default. Both
 * are written as {@link pathPart} does.
 *
 * @example
 * ```ts
 * findMemoryScope({ scope: "team" }); // → "team"
 * findMemoryScope({ scope: "team", agentId: "writer" }) === "team"; // → false
 * ```
 */
export function findMemoryScope({ scope = "local", agentId }: MemoryContext): string {
  return agentId === undefined ? pathPart(scope) : agentScope(scope, agentId);
}

/** The scope of an agent. A scope or an id with a slash is not the path of another agent. */
export function agentScope(scope: string, agentId: string): string {
  return `${pathPart(scope)}/${pathPart(agentId)}`;
}

/**
 * What consent to changing an entry, and effects, know it by: its label, where that can mean no other. One that was
 * shared or deleted goes by its id.
 */
export function formatMemoryKey(
  { id, label = id, scope, deletedAt }: MemoryEntry,
  callerScope: string,
): string {
  return scope === callerScope && deletedAt === undefined ? label : id;
}

/** The `target` of an effect on memory. */
export function memoryTarget(key: string): string {
  return `memory:${key}`;
}

/**
 * Makes the caller of memory that a tool call stands for. What was decided of the call bounds what memory lets it do.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "whose",
 *     description: "Say whose memory this is.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: (_params, context) => toMemoryCaller(context).scope,
 *   }),
 * );
 * const { text } = await new ToolExecutor(registry).run("whose", {}, { scope: "team" });
 * text; // → "team"
 * ```
 */
export function toMemoryCaller(
  context: Pick<ToolContext, "scope" | "agentId" | "callId" | "origin" | "trust" | "effects">,
): MemoryCaller {
  const { agentId, scope, callId, origin, trust, effects } = context;
  const changes = effects.filter(({ kind }) => kind === "write");
  return {
    scope: findMemoryScope(context),
    author: {
      by: `agent:${agentId ?? scope}`,
      callId,
      ...(origin?.channel !== undefined && { channel: origin.channel }),
    },
    trust,
    consents: (key) => changes.some(({ target, within }) => !within && target === memoryTarget(key)),
    declares: (key) => changes.some(({ target }) => target === memoryTarget(key)),
  };
}
