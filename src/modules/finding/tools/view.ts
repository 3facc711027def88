import {
  type Interaction,
  type ToolContext,
  type ToolInfo,
  ToolInteraction,
  type ToolView,
} from "../../../kernel/index.ts";

/** What the caller of a tool has, and what it is shown of it. */
export interface View {
  readonly interaction: Interaction;
  /** All that it has, shown or not. */
  readonly toolset: ToolView;
  /** What can be shown to it. */
  readonly loadable: readonly ToolInfo[];
  /** What its list has. */
  readonly listed: ReadonlySet<string>;
}

/**
 * The view of a call; outside of any interaction all is shown. @param handle what the caller says that it has
 * loaded
 */
export function findView({ interaction: kept, toolset: own }: ToolContext, handle?: string): View {
  const interaction = kept ?? new ToolInteraction({ toolset: () => own, core: ["*"] });
  const before = interaction.shown;
  if (handle !== undefined) interaction.resume(handle);
  const { toolset, shown, passing } = interaction;
  return {
    interaction,
    toolset,
    loadable: toolset.shown(),
    listed: new Set((passing ? before : shown).map(({ name }) => name)),
  };
}
