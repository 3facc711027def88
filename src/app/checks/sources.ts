import type { ServerHealth } from "../../mcp/index.ts";
import type { App } from "../create-app.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** What the user brought: files that can't be used, servers that do not answer. */
export function checkSources(app: App): Finding[] {
  const { sources } = app;
  const hooks = sources.hookSource?.definitions().length ?? 0;
  const brought = app.registry.list().filter(({ origin }) => origin !== "haft").length;
  return [
    ok("sources", `tools of yours: ${brought}, hooks: ${hooks}`),
    ...sources
      .problems()
      .map(({ where, line, message }) =>
        warning("sources", message, `see ${line === undefined ? where : `${where}:${line}`}`),
      ),
    ...(sources.mcp?.health() ?? []).flatMap(listFindings),
  ];
}

function listFindings({ server, status, reason, tools, quarantined, problems }: ServerHealth): Finding[] {
  const name = `mcp ${server}`;
  const details = `see \`haft mcp status\``;
  const faults = [
    ...problems.map((problem) => warning(name, problem, details)),
    ...(quarantined.length === 0
      ? []
      : [
          warning(
            name,
            `tools that wait to be looked at: ${quarantined.length}`,
            `haft mcp review ${server}`,
          ),
        ]),
  ];
  if (status === "disabled") return [ok(name, "turned off"), ...faults];
  if (status === "failed") return [failed(name, reason ?? "it can't be reached", details), ...faults];
  if (status === "degraded") return [warning(name, reason ?? "it does not answer", details), ...faults];
  return [ok(name, `${status}, tools: ${tools}`), ...faults];
}
