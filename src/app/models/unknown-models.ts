import { nearestNames } from "../../base/index.ts";
import type { HaftConfig } from "../config/config-types.ts";

/** Ends an error about a model that is not configured: the nearest name, or all that there are. */
export function suggestModel(name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  return near === undefined ? `there are ${known.join(", ")}` : `did you mean "${near}"`;
}

/** The settings that name a model which is not configured, each with what to do. */
export function listUnknownModels({ models = {}, agent = {} }: HaftConfig): readonly string[] {
  const known = Object.keys(models);
  if (known.length === 0) return [];
  const named = { "agent.model": agent.model, "agent.memoryModel": agent.memoryModel };
  return Object.entries(named).flatMap(([setting, name]) =>
    name === undefined || known.includes(name)
      ? []
      : [`${setting}: there is no model "${name}"; ${suggestModel(name, known)}`],
  );
}
