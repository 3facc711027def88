import { nearestNames } from "../../base/index.ts";
import { ToolError, ToolNotFoundError } from "../errors.ts";
import type { Availability, AvailabilityCode, AvailabilityReason } from "./availability.ts";
import { howToLoad } from "./interaction/how-to-load.ts";
import type { Interaction } from "./interaction/interaction.ts";
import type { ToolView } from "./tool-view.ts";
import type { Toolset } from "./toolset.ts";

/**
 * Step 2: whether there is a tool of a name, and its caller may call it.
 *
 * @param interaction has all that the caller has, if it shows only a part of that
 * @throws {ToolError} TOOL_NOT_FOUND, TOOL_NOT_CALLABLE; what else keeps it from the caller, later steps tell of.
 */
export function checkCallable(
  name: string,
  toolset: Toolset,
  interaction?: Pick<Interaction, "toolset">,
): void {
  const availability = toolset.of(name);
  if (availability.tool === undefined) {
    const nearest = nearestTools(name, interaction?.toolset ?? toolset);
    throw new ToolNotFoundError(name, nearest, howToLoad(nearest, toolset));
  }
  const refusals = turningAway(availability);
  if (refusals.length > 0) throw notCallable(name, refusals, toolset);
}

/** Not what rules deny, nor a quarantine: the steps that decide and validate know more of these. */
const turnsAway: ReadonlySet<AvailabilityCode> = new Set([
  "BLOCKED",
  "NOT_ALLOW_LISTED",
  "HIDDEN_NOT_CALLABLE",
]);

function turningAway({ callable, allowed }: Availability): readonly AvailabilityReason[] {
  if (callable.is && allowed.is) return [];
  return [callable, allowed].flatMap(({ reasons }) => reasons.filter(({ code }) => turnsAway.has(code)));
}

const mostNamed = 8;

function nearestTools(name: string, toolset: ToolView): string[] {
  return nearestNames(
    name,
    toolset.usable().map((tool) => tool.name),
  );
}

function notCallable(name: string, refusals: readonly AvailabilityReason[], toolset: Toolset): ToolError {
  const nearest = nearestTools(name, toolset);
  const shown = toolset.shown();
  const others = nearest.length > 0 ? nearest : shown.slice(0, mostNamed).map((tool) => tool.name);
  const more = nearest.length === 0 && shown.length > mostNamed ? ", …" : "";
  const why = refusals.map(({ message }) => message).join(", and ");
  const loading = refusals.every(({ code }) => code === "HIDDEN_NOT_CALLABLE")
    ? howToLoad([name], toolset)
    : undefined;
  const remedies = loading ?? refusals.flatMap(({ remedy = [] }) => remedy).join(", and ");
  return new ToolError(
    name,
    "TOOL_NOT_CALLABLE",
    `Cannot call "${name}": ${why}; use one of ${others.join(", ") || "none"}${more}; to have it, ${remedies}`,
    { details: { reasons: refusals.map(({ code }) => code), nearest } },
  );
}
