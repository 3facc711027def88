import { getErrorMessage, oneLine } from "../../base/index.ts";
import type { SessionStep } from "../../modules/usage/index.ts";
import type { App } from "../create-app.ts";
import { type Finding, ok, warning } from "./finding.ts";

const scope = "local";
const lookedAtMs = 7 * 86_400_000;
/** The least share of cached input; less in this many steps in a row is a finding. */
const least = { share: 0.5, steps: 3 } as const;

/** Checks that the model of agents is configured and has all it needs. It is not asked: that may cost money. */
export async function checkAgentModel({ models }: App): Promise<Finding> {
  const name = models.agentModel;
  if (name === undefined)
    return ok("agent", "no model: `haft chat` and `haft run` need one, everything else works without");
  const found = (await models.list()).find((one) => one.name === name);
  const [unknown = `agent.model: there is no model "${name}", and no other`] = models.unknown;
  if (found === undefined || models.unknown.length > 0)
    return warning("agent", unknown, "`haft models` lists what is configured");
  const where = found.url === undefined ? "" : ` at ${found.url}`;
  const detail = `${name} (${found.id})${where}`;
  const [first] = found.missing;
  return first === undefined
    ? ok("agent", `${detail}; not asked here: \`haft models test ${name}\` does`)
    : warning("agent", detail, oneLine(first));
}

/** Names the sessions whose requests are no longer served from the provider's cache as they were. */
export async function checkCache(app: App): Promise<Finding> {
  try {
    const { usage } = await app.store();
    const fallen = listFallen(await usage.steps({ scope, since: Date.now() - lookedAtMs }));
    if (fallen.length === 0) return ok("cache", "no session pays for what its provider's cache had");
    return warning(
      "cache",
      `less than half of the input came from the cache for ${least.steps} steps, in ${fallen.slice(0, 3).join(", ")}${fallen.length > 3 ? ` and ${fallen.length - 3} more` : ""}`,
      "look what changes between the steps: tools that come and go, another model, or pauses longer than its cache keeps",
    );
  } catch (error) {
    return warning("cache", getErrorMessage(error), "`haft usage` says more");
  }
}

/**
 * Sessions whose newest steps had less than half of their input from a cache, although an earlier one had more. A
 * provider that caches nothing is no fault.
 *
 * @param steps The newest first.
 */
export function listFallen(steps: readonly SessionStep[]): readonly string[] {
  const sessions = Map.groupBy(steps, ({ sessionId }) => sessionId);
  const isLow = ({ cacheReadTokens, inputTokens }: SessionStep) =>
    cacheReadTokens < inputTokens * least.share;
  return Array.from(sessions)
    .filter(
      ([, [...own]]) =>
        own.length > least.steps &&
        own.slice(0, least.steps).every(isLow) &&
        own.slice(least.steps).some((step) => !isLow(step)),
    )
    .map(([id]) => id);
}
