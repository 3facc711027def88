import {
  type CallContext,
  type Interaction,
  type InteractionOptions,
  type ToolExecutor,
  type ToolRegistry,
} from "../../kernel/index.ts";
import type { ClientProfile, Expose, HaftConfig, Profile } from "../config/config-types.ts";
import { expandPacks } from "../packs/tool-packs.ts";
import { ClientExposure, type Exposed } from "./client-exposure.ts";
import { chooseCoreTools } from "./core-tools-of.ts";
import type { GoalPacks } from "./goal-packs.ts";

/** How a client of the MCP server sees the installation. */
export interface ClientView {
  /** The bounds for this client's calls. */
  readonly bounds: CallContext;
  /** What it is shown from now on. */
  open(client: InteractionOptions): Interaction;
  /** How much it is shown at the start, as things are. */
  exposed(): Exposed;
  /** The packs that were selected for a goal; undefined without a goal, and where the list has every tool in any case. */
  readonly selected?: SelectedPacks;
}

/** The packs in a client's list, and the goal they were selected for. */
export interface SelectedPacks extends GoalPacks {
  readonly goal: string;
}

export interface ClientViewParts {
  readonly config: HaftConfig;
  readonly profile: Profile;
  readonly registry: ToolRegistry;
  readonly executor: Pick<ToolExecutor, "toolset">;
  readonly context: CallContext;
}

/** Which client sees the tools, and how many of them. */
export interface ClientViewOptions {
  /** The client's name in `serve.clients`. @default a client that nothing is written down of */
  readonly name?: string | undefined;
  /** Stands over what is written down of the client. */
  readonly expose?: Expose | undefined;
  /** Used for a client of which nothing is written down. @default "auto" */
  readonly otherwise?: Expose | undefined;
  /** Packs that its list has whole, as they were selected for a goal: where the budget would decide, the list is lean then. */
  readonly selected?: SelectedPacks | undefined;
}

export function openClientView(parts: ClientViewParts, options: ClientViewOptions = {}): ClientView {
  const { config, registry, executor } = parts;
  const written: ClientProfile =
    (options.name === undefined ? undefined : config.serve?.clients?.[options.name]) ?? {};
  const expose = options.expose ?? written.expose ?? options.otherwise ?? config.serve?.expose ?? "auto";
  const exposure = new ClientExposure({
    registry,
    expose: expose === "auto" && options.selected !== undefined ? "lean" : expose,
    budget: config.tools?.budget,
    core: [...chooseCoreTools(parts.profile, config).core, ...expandPacks(written.tools ?? [])],
    corePacks: [...(written.packs ?? []), ...(options.selected?.packs ?? [])],
  });
  const bounds = toBounds(parts.context, written);
  const toolset = () => executor.toolset({ ...bounds, origin: { channel: "mcp" } });
  return {
    bounds,
    open: (client) => exposure.open(client),
    exposed: () => exposure.describe(exposure.open({ toolset })),
    ...(options.selected !== undefined && expose !== "all" && { selected: options.selected }),
  };
}

/** What the configuration says that a client is for. */
export function writtenGoal({ serve }: HaftConfig, name: string | undefined): string | undefined {
  return (name === undefined ? undefined : serve?.clients?.[name]?.goal) ?? serve?.goal;
}

/** The agent of the whole server binds every client: the profile's can't take its place. */
function toBounds(context: CallContext, { agent }: ClientProfile): CallContext {
  return agent === undefined || context.agentId !== undefined ? context : { ...context, agentId: agent };
}
