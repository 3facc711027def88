import type { BudgetSettings } from "../../agent/index.ts";
import { isRecord } from "../../base/index.ts";
import { type Mode, modes } from "../../kernel/index.ts";
import type { Run, RunKind } from "../../modules/sessions/index.ts";
import type { AgentSettings } from "../../sources/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { AgentSetupError } from "../errors.ts";
import { suggestModel } from "../models/unknown-models.ts";

/** Limits and settings of a run, as they are stored with it. */
export interface TurnSettings {
  /** The name of a model in the configuration. */
  readonly model: string;
  readonly maxSteps: number;
  readonly usd?: number;
  /** Limits that a person has raised since the run began. */
  readonly limits?: OtherLimits;
  readonly mode?: Mode;
  /** Names and globs: the only tools that the run may call, of those that its agent may. */
  readonly allowedTools?: readonly string[];
  /** Whether it is reflected on once it has ended. */
  readonly reflects?: true;
  /** Whether the model is asked for a verdict when calls fail repeatedly. */
  readonly judges?: true;
  /** The run that this one reflects on. @default it is no reflection */
  readonly reflectsOn?: string;
}

/** Limits of a budget that are not money. */
export type OtherLimits = Omit<BudgetSettings, "usd">;

/** What the person who begins a run asks for. It overrides the agent's file and the configuration. */
export interface WantedSettings {
  readonly kind?: RunKind;
  readonly model?: string;
  readonly maxSteps?: number;
  readonly usd?: number;
  /** Overrides the mode of whoever drives the run. */
  readonly mode?: Mode;
  /** Names and globs: the only tools that the run may call, of those that its agent may. @default all of these */
  readonly allowedTools?: readonly string[];
}

/** The limits of steps. A run that nobody watches stops earlier. */
const defaultMaxSteps: Readonly<Record<RunKind, number>> = {
  turn: 100,
  reflect: 100,
  task: 50,
  schedule: 50,
};

/**
 * Chooses the settings of a new run: what the person asks for, else the agent's file, else the configuration.
 *
 * @throws {AgentSetupError} AGENT_MODEL
 */
export function chooseSettings(
  { kind = "turn", model, maxSteps, usd, mode, allowedTools }: WantedSettings,
  { agentId, own, config }: AgentChoice,
): TurnSettings {
  return {
    model: model === undefined ? chooseModel({ agentId, own, config }) : requireModel(model, config),
    maxSteps: maxSteps ?? own?.maxIterations ?? config.agent?.maxSteps ?? defaultMaxSteps[kind],
    ...(usd !== undefined && { usd }),
    ...(mode !== undefined && { mode }),
    ...(allowedTools !== undefined && { allowedTools }),
    ...chooseReflection(kind, config),
  };
}

/** When a run of a kind is reflected on, as the configuration says. */
function chooseReflection(kind: RunKind, { agent }: HaftConfig): Pick<TurnSettings, "reflects" | "judges"> {
  const when = agent?.reflect ?? "after-task";
  const isBoth = when === "both";
  return {
    ...(kind === "task" && (isBoth || when === "after-task") && { reflects: true }),
    ...(kind !== "reflect" && (isBoth || when === "on-failure") && { judges: true }),
  };
}

/** Reads the settings that are stored with a run. */
export function readSettings({ settings, kind }: Pick<Run, "settings" | "kind">): TurnSettings {
  const { model, maxSteps, usd, limits, mode, allowedTools, reflects, judges, reflectsOn } = isRecord(
    settings,
  )
    ? settings
    : {};
  return {
    model: typeof model === "string" ? model : "",
    maxSteps: typeof maxSteps === "number" ? maxSteps : defaultMaxSteps[kind],
    ...(typeof usd === "number" && { usd }),
    ...(isRecord(limits) && { limits: readLimits(limits) }),
    ...(modes.some((one) => one === mode) && { mode: mode as Mode }),
    ...(Array.isArray(allowedTools) && {
      allowedTools: allowedTools.filter((name) => typeof name === "string"),
    }),
    ...(reflects === true && { reflects }),
    ...(judges === true && { judges }),
    ...(typeof reflectsOn === "string" && { reflectsOn }),
  };
}

function readLimits({ tokens, steps, minutes }: Readonly<Record<string, unknown>>): OtherLimits {
  return {
    ...(typeof tokens === "number" && { tokens }),
    ...(typeof steps === "number" && { steps }),
    ...(typeof minutes === "number" && { minutes }),
  };
}

/** An agent, its file's settings, and the configuration. */
export interface AgentChoice {
  readonly agentId: string;
  readonly own: AgentSettings | undefined;
  readonly config: HaftConfig;
}

/**
 * The model of an agent: the one that its file names, by its name in the configuration or the provider's name for it; else
 * the first of the provider that its file names, `agent.model` before others; else `agent.model`.
 */
function chooseModel({ agentId, own, config }: AgentChoice): string {
  const { model, provider } = own ?? {};
  if (model === undefined && provider === undefined) return requireModel(config.agent?.model, config);
  const models = Object.entries(config.models ?? {});
  const fitting = models.flatMap(([name, one]) => {
    const isOfProvider = provider === undefined || one.provider === provider;
    const isNamed = model === undefined || name === model || one.model === model;
    return isOfProvider && isNamed ? [name] : [];
  });
  const exact = [model, config.agent?.model].find((name) => name !== undefined && fitting.includes(name));
  const chosen = exact ?? fitting[0];
  if (chosen !== undefined) return chosen;
  const wanted = [
    ...(model === undefined ? [] : [`model: ${model}`]),
    ...(provider === undefined ? [] : [`provider: ${provider}`]),
  ].join(" and ");
  throw new AgentSetupError(
    "AGENT_MODEL",
    models.length === 0
      ? noModel
      : `Cannot ask a model for the agent "${agentId}": its file says ${wanted}, and the configuration has ${listModels(config)}; change the file, or add such a model under \`models\``,
  );
}

const noModel =
  "Cannot ask a model: none is configured; name one under `models` in the configuration and as `agent.model`, with its key as a secret or the url of a server of your own (`haft help models` shows how)";

/**
 * Returns the name of a model of the configuration.
 *
 * @throws {AgentSetupError} AGENT_MODEL
 */
export function requireModel(name: string | undefined, config: HaftConfig): string {
  const known = Object.keys(config.models ?? {});
  if (name !== undefined && known.includes(name)) return name;
  if (known.length === 0) throw new AgentSetupError("AGENT_MODEL", noModel);
  throw new AgentSetupError(
    "AGENT_MODEL",
    name === undefined
      ? `Cannot ask a model: \`agent.model\` in the configuration names none; there are ${known.join(", ")}`
      : `Cannot ask the model "${name}": there is none of this name; ${suggestModel(name, known)}`,
  );
}

function listModels({ models = {} }: HaftConfig): string {
  return Object.entries(models)
    .map(([name, { provider, model }]) => `${name} (${provider}, ${model})`)
    .join(", ");
}
