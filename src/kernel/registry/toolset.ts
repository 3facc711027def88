import { RecentMap } from "../../base/index.ts";
import type { CallContext } from "../call/context.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolInfo, toToolInfo } from "../tool/tool-info.ts";
import type { ToolLimits } from "../tool/tool-limits.ts";
import { type Availability, type AvailabilityReason, findAvailability } from "./availability.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ToolView } from "./tool-view.ts";

type Tools = Pick<ToolRegistry, "get" | "snapshot" | "getFault">;

/** Restrictions of one interaction. */
interface ToolsetTerms {
  readonly limits: readonly ToolLimits[];
  /** Reason why rules and mode refuse every call of a tool, whatever its arguments; undefined if they do not. */
  readonly refusing: (tool: Tool) => AvailabilityReason | undefined;
}

/**
 * What was derived from a tool. It is valid while the tool and its fault stay the same, since limits and rules do not
 * change.
 */
interface Known {
  /** The version of the registry in which the tool and its fault were last seen to be these. */
  version: number;
  readonly tool: Tool;
  readonly fault: string | undefined;
  readonly availability: Availability;
}

/** The view one caller has of the registry. It follows the registry, and works each tool out once. */
export class Toolset implements ToolView {
  readonly #registry: Tools;
  readonly #terms: ToolsetTerms;
  #known = new Map<string, Known>();
  #version = -1;
  #shown: readonly ToolInfo[] | undefined;
  #usable: readonly ToolInfo[] | undefined;

  constructor(registry: Tools, terms: ToolsetTerms) {
    this.#registry = registry;
    this.#terms = terms;
  }

  /** Whether the tool of this name is shown, callable and allowed, and why. A name that no tool has is none of these. */
  of(name: string): Availability {
    this.#refresh();
    const known = this.#known.get(name);
    if (known?.version === this.#version) return known.availability;
    const tool = this.#registry.get(name);
    const fault = this.#registry.getFault(name);
    if (known !== undefined && known.tool === tool && known.fault === fault) {
      known.version = this.#version;
      return known.availability;
    }
    const { limits, refusing } = this.#terms;
    const candidate = { name, tool: tool && toToolInfo(tool), fault, refused: tool && refusing(tool) };
    const availability = findAvailability(candidate, limits);
    if (tool === undefined) this.#known.delete(name);
    else this.#known.set(name, { version: this.#version, tool, fault, availability });
    return availability;
  }

  /** The tools that are put before the model, in the order of the registry. */
  shown(): readonly ToolInfo[] {
    this.#refresh();
    this.#shown ??= this.#tools(({ shown }) => shown.is);
    return this.#shown;
  }

  /** The tools that may be called and that no rule always denies, shown or not. */
  usable(): readonly ToolInfo[] {
    this.#refresh();
    this.#usable ??= this.#tools(({ callable, allowed }) => callable.is && allowed.is);
    return this.#usable;
  }

  #tools(choose: (availability: Availability) => boolean): readonly ToolInfo[] {
    const { tools } = this.#registry.snapshot();
    const chosen = tools.filter(({ name }) => choose(this.of(name)));
    this.#forgetGone(tools.length);
    return Object.freeze(chosen.map(toToolInfo));
  }

  /** Tools that are gone are forgotten once they outnumber those that are there, versions of them by name included. */
  #forgetGone(present: number): void {
    if (this.#known.size <= 2 * present + 100) return;
    this.#known = new Map([...this.#known].filter(([, { version }]) => version === this.#version));
  }

  #refresh(): void {
    const { version } = this.#registry.snapshot();
    if (version === this.#version) return;
    this.#version = version;
    this.#shown = undefined;
    this.#usable = undefined;
  }
}

/** Finds the lists that bind a call, beside those that it brings itself. The array stays the same while they do. */
export type LimitsOf = (context: CallContext) => readonly ToolLimits[];

export interface ToolsetsOptions {
  readonly limits: LimitsOf;
  /** Why rules and mode refuse every call of a tool by this caller. */
  readonly refusing: (tool: Tool, context: CallContext) => AvailabilityReason | undefined;
}

const mostKept = 100;

/** Everything that a toolset depends on. Lists are compared by identity: the same array has the same names. */
interface Restrictions {
  readonly configured: readonly ToolLimits[];
  readonly brought: readonly ToolLimits[] | undefined;
  readonly ofInteraction: readonly ToolLimits[] | undefined;
  readonly allowedTools: readonly string[] | undefined;
  readonly blockedTools: readonly string[] | undefined;
  readonly mode: CallContext["mode"];
  readonly agentId: string;
  readonly channel: string;
}

function listRestrictions(context: CallContext, configured: readonly ToolLimits[]): Restrictions {
  const { allowedTools, blockedTools, limits: brought, interaction, mode, agentId = "", origin } = context;
  const channel = origin?.channel ?? "";
  return {
    configured,
    brought,
    ofInteraction: interaction?.limits,
    allowedTools,
    blockedTools,
    mode,
    agentId,
    channel,
  };
}

function areSame(one: Restrictions, other: Restrictions): boolean {
  return (
    one.configured === other.configured &&
    one.brought === other.brought &&
    one.ofInteraction === other.ofInteraction &&
    one.allowedTools === other.allowedTools &&
    one.blockedTools === other.blockedTools &&
    one.mode === other.mode &&
    one.agentId === other.agentId &&
    one.channel === other.channel
  );
}

/** The toolsets of those who call: the same one for the same restrictions. */
export class Toolsets {
  readonly #registry: Tools;
  readonly #options: ToolsetsOptions;
  readonly #kept = new RecentMap<string, Toolset>(mostKept);
  /** The last toolset, since most callers call several times in a row. */
  #latest: { readonly restrictions: Restrictions; readonly toolset: Toolset } | undefined;
  readonly #numbers = new WeakMap<object, number>();
  #numbered = 0;

  constructor(registry: Tools, options: ToolsetsOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  of(context: CallContext): Toolset {
    const restrictions = listRestrictions(context, this.#options.limits(context));
    const latest = this.#latest;
    if (latest !== undefined && areSame(latest.restrictions, restrictions)) return latest.toolset;
    const toolset = this.#find(context, restrictions);
    this.#latest = { restrictions, toolset };
    return toolset;
  }

  #find(context: CallContext, restrictions: Restrictions): Toolset {
    const { configured, brought, ofInteraction, allowedTools, blockedTools, mode, agentId, channel } =
      restrictions;
    const lists = `${this.#numberList(configured)} ${this.#numberList(brought)} ${this.#numberList(ofInteraction)}`;
    const own = `${this.#numberList(allowedTools)} ${this.#numberList(blockedTools)}`;
    const key = `${lists} ${own} ${mode} ${channel.length} ${channel} ${agentId}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const caller = describeCaller(context);
    const toolset = new Toolset(this.#registry, {
      limits: [
        ...configured,
        ...(brought ?? noLimits),
        ...(ofInteraction ?? noLimits),
        ...ownLimits(context),
      ],
      refusing: (tool) => this.#options.refusing(tool, caller),
    });
    this.#kept.set(key, toolset);
    return toolset;
  }

  #numberList(list: readonly unknown[] | undefined): number {
    if (list === undefined || list === noLimits) return 0;
    let number = this.#numbers.get(list);
    if (number === undefined) {
      number = ++this.#numbered;
      this.#numbers.set(list, number);
    }
    return number;
  }
}

/** The limits of an executor that is told of no lists. */
export const noLimits: readonly ToolLimits[] = Object.freeze([]);

function ownLimits({ allowedTools, blockedTools }: CallContext): readonly ToolLimits[] {
  if (allowedTools === undefined && blockedTools === undefined) return noLimits;
  return [
    {
      by: "this call",
      ...(allowedTools !== undefined && { allowedTools }),
      ...(blockedTools !== undefined && { blockedTools }),
    },
  ];
}

/** What rules go by, and nothing that keeps a call alive. */
function describeCaller({ agentId, mode, origin }: CallContext): CallContext {
  return {
    ...(agentId !== undefined && { agentId }),
    ...(mode !== undefined && { mode }),
    ...(origin !== undefined && { origin: { channel: origin.channel } }),
  };
}
