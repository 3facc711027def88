import type { App } from "../../../app/index.ts";
import { listToolVersions, type ToolVersion } from "../../../app/views/index.ts";
import { nearestNames } from "../../../base/index.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { renderTable } from "../../text/table.ts";

/** `haft tools versions`: the versions of a tool side by side, with how their calls came out. */
export async function compareVersions(session: Session, app: App, names: readonly string[]): Promise<void> {
  const chosen =
    names.length > 0 ? names : app.registry.list().flatMap((tool) => (tool.versions ? [tool.name] : []));
  if (chosen.length === 0) {
    throw new CliError(
      "CLI_NOT_FOUND",
      "Cannot compare versions: no tool has several; name a tool to see how the versions of it came out that there were",
    );
  }
  const lines: ToolVersion[] = [];
  for (const name of chosen) {
    const versions = await listToolVersions(app, name);
    if (versions.length === 0) throw unknown(app, name);
    lines.push(...versions);
  }
  if (session.asJson) session.terminal.json(lines);
  else session.terminal.out(render(lines, session));
}

function render(lines: readonly ToolVersion[], { terminal }: Session): string {
  return renderTable(
    [
      { title: "Tool", paint: (text) => terminal.paint("bold", text) },
      { title: "Version" },
      { title: "Share", align: "right" },
      { title: "Calls", align: "right" },
      { title: "Failed", align: "right" },
      { title: "Average", align: "right" },
      { title: "Last" },
    ],
    lines.map(({ tool, version, share, calls, failed, averageMs, lastAt }) => [
      terminal.foreign(tool),
      terminal.foreign(version),
      share === undefined ? "gone" : `${Math.round(share)} %`,
      String(calls),
      calls === 0 ? "" : `${failed} (${Math.round((100 * failed) / calls)} %)`,
      averageMs === undefined ? "" : `${Math.round(averageMs)} ms`,
      lastAt === undefined ? "" : new Date(lastAt).toISOString().slice(0, 16).replace("T", " "),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

function unknown(app: App, name: string): CliError {
  const nearest = nearestNames(
    name,
    app.registry.list().map((tool) => tool.name),
  );
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : "`haft tools` lists them";
  return new CliError("CLI_NOT_FOUND", `Cannot find the tool "${name}", nor calls of it; ${hint}`);
}
