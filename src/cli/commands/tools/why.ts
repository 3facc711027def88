import { join } from "node:path";
import {
  type App,
  chooseCoreTools,
  configFileName,
  findTier,
  findWhereabouts,
  type NumberedRule,
  nearestUsable,
  ruleOfTools,
} from "../../../app/index.ts";
import { type AvailabilityPart, type CallContext, entryNaming } from "../../../kernel/index.ts";
import { exitCodes } from "../../exit-codes.ts";
import { readySearch } from "../../ready-search.ts";
import type { Session } from "../../session.ts";
import type { PlaceInLists, Why } from "../../text/availability.ts";

interface WhyQuestion {
  readonly name: string;
  /** Rank the tool for this. */
  readonly goal?: string | undefined;
}

/** `haft tools --why`: whether a tool is shown, callable and allowed, what to change, and how the search ranks it. */
export async function explainTool(
  session: Session,
  app: App,
  { name, goal }: WhyQuestion,
  context: CallContext,
): Promise<void> {
  app.registry.check(name); // A schema that can't be used shows when it is first used.
  const availability = app.executor.toolset(context).of(name);
  const isThere = availability.tool !== undefined;
  const why: Why = {
    availability,
    agent: context.agentId,
    whereabouts: await findWhereabouts(app, name),
    nearest: isThere ? [] : nearestUsable(app, name, context),
    ...(availability.shown.is && { inLists: placeInLists(app, name) }),
    ...(isThere &&
      goal !== undefined && {
        found: { goal, scores: await (await readySearch(app, goal)).explain(goal, name) },
      }),
    findRule: ({ rule }) => {
      const found = [ruleOfTools, ...app.rules].find((one) => one.rule === rule);
      return found && { ...found, place: formatPlace(app, found) };
    },
  };
  if (session.asJson) session.terminal.json(toData(why));
  else {
    const { renderWhy } = await import("../../text/availability.ts");
    session.terminal.out(renderWhy(why, session.terminal));
  }
  if (!isThere) session.exitCode = exitCodes.notFound;
}

function placeInLists(app: App, name: string): PlaceInLists {
  const { core, pinned } = chooseCoreTools(app.profile, app.loaded.config);
  const tier = findTier(name, core);
  return tier !== "finder" && entryNaming(pinned, name) !== undefined ? "pinned" : tier;
}

function formatPlace({ folder, home }: App, { source }: NumberedRule): string {
  if (source === "project file") return `permissions of "${join(folder, configFileName)}"`;
  if (source === "own file") return `permissions of "${home.config}"`;
  return source === "mode"
    ? "it comes with the mode"
    : source === "tool"
      ? "it comes with the tool"
      : "it is built in";
}

function toData({ availability, agent, whereabouts, nearest, inLists, found, findRule }: Why): unknown {
  const { name, tool, shown, callable, allowed } = availability;
  const part = ({ is, reasons }: AvailabilityPart) => ({
    is,
    reasons: reasons.map((reason) => ({ ...reason, ...findRule(reason) })),
  });
  return {
    name,
    exists: tool !== undefined,
    ...(agent !== undefined && { agent }),
    ...(tool?.origin !== undefined && { origin: tool.origin }),
    shown: part(shown),
    callable: part(callable),
    allowed: part(allowed),
    ...(inLists !== undefined && { inLists }),
    ...(found !== undefined && { goal: found.goal, scores: found.scores }),
    nearest,
    whereabouts,
  };
}
