import { join } from "node:path";
import {
  type App,
  configFileName,
  findWhereabouts,
  type NumberedRule,
  nearestUsable,
  ruleOfTools,
} from "../../app/index.ts";
import type { AvailabilityPart, CallContext } from "../../kernel/index.ts";
import type { Why } from "../availability-text.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Session } from "../session.ts";

/** `haft tools --why`: whether a tool is shown, callable and allowed, and what to change. */
export async function explainTool(
  session: Session,
  app: App,
  name: string,
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
    ruleOf: ({ rule }) => {
      const found = [ruleOfTools, ...app.rules].find((one) => one.rule === rule);
      return found && { ...found, place: placeOf(app, found) };
    },
  };
  if (session.asJson) session.terminal.json(toData(why));
  else {
    const { renderWhy } = await import("../availability-text.ts");
    session.terminal.out(renderWhy(why, session.terminal));
  }
  if (!isThere) session.exitCode = exitCodes.notFound;
}

function placeOf({ folder, home }: App, { source }: NumberedRule): string {
  if (source === "project file") return `permissions of "${join(folder, configFileName)}"`;
  if (source === "own file") return `permissions of "${home.config}"`;
  return source === "mode"
    ? "it comes with the mode"
    : source === "tool"
      ? "it comes with the tool"
      : "it is built in";
}

function toData({ availability, agent, whereabouts, nearest, ruleOf }: Why): unknown {
  const { name, tool, shown, callable, allowed } = availability;
  const part = ({ is, reasons }: AvailabilityPart) => ({
    is,
    reasons: reasons.map((reason) => ({ ...reason, ...ruleOf(reason) })),
  });
  return {
    name,
    exists: tool !== undefined,
    ...(agent !== undefined && { agent }),
    ...(tool?.origin !== undefined && { origin: tool.origin }),
    shown: part(shown),
    callable: part(callable),
    allowed: part(allowed),
    nearest,
    whereabouts,
  };
}
