import type { ToolInfo } from "../../tool/tool-info.ts";
import type { ToolLimits } from "../../tool/tool-limits.ts";
import type { ToolView } from "../tool-view.ts";

/** What one interaction was shown so far: the core tier, and what was loaded since, in that order. */
export interface Interaction {
  /** Says the same to another {@link Interaction}: what was loaded, readable, and no secret. Empty: nothing. */
  readonly handle: string;
  /** It ends with the call: nobody sees what is shown but by the handle. */
  readonly passing: boolean;
  /** Append-only: what was shown once stays where it was. */
  readonly shown: readonly ToolInfo[];
  /** The limits for the context of its calls. Another array after each change. */
  readonly limits: readonly ToolLimits[];
  /** What its caller has, these limits aside. Whatever this shows can be loaded. */
  readonly toolset: ToolView;
  /** Shows more tools, in the order of the registry. Returns those that were not shown before. */
  load(names: readonly string[]): readonly string[];
  /** Shows the tools of a pack, with those that come into it later. Returns those that were not shown before. */
  loadPack(pack: string): readonly string[];
  /** Shows what a handle lists. Returns those that were not shown before. */
  resume(handle: string): readonly string[];
}
