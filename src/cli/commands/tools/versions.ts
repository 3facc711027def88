import type { App } from "../../../app/index.ts";
import { nearestNames } from "../../../base/index.ts";
import type { Tool } from "../../../kernel/index.ts";
import type { VersionOutcomes } from "../../../modules/ledger/index.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { renderTable } from "../../text/table.ts";

interface VersionLine {
  readonly tool: string;
  /** The version as calls name it; one that is gone, as the ledger has it. */
  readonly version: string;
  /**
   * The version's share of the calls that name none, in percent; undefined where it is not there any more.
   */
  readonly share: number | undefined;
  readonly calls: number;
  readonly failed: number;
  readonly averageMs: number | undefined;
  readonly lastAt: number | undefined;
}

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
  const { ledger } = await app.store();
  const lines: VersionLine[] = [];
  for (const name of chosen) {
    const tool = app.registry.get(name);
    const outcomes = await ledger.outcomes({ tool: name });
    if (tool === undefined && outcomes.length === 0) throw unknown(app, name);
    lines.push(...formatLines(name, tool, outcomes));
  }
  if (session.asJson) session.terminal.json(lines);
  else session.terminal.out(render(lines, session));
}

function formatLines(
  tool: string,
  now: Tool | undefined,
  outcomes: readonly VersionOutcomes[],
): readonly VersionLine[] {
  const left = new Map(outcomes.map((one) => [one.version, one]));
  const lines: VersionLine[] = [];
  for (const [version, one] of listVersions(now)) {
    lines.push({ tool, version, share: getShare(now, version), ...formatCounts(left.get(one.version)) });
    left.delete(one.version);
  }
  for (const [version, gone] of left) lines.push({ tool, version, share: undefined, ...formatCounts(gone) });
  return lines;
}

function listVersions(tool: Tool | undefined): Iterable<readonly [string, Tool]> {
  if (tool === undefined) return [];
  return tool.versions?.all ?? [[tool.version, tool]];
}

function getShare(tool: Tool | undefined, version: string): number {
  const shares = tool?.versions?.shares;
  if (shares === undefined) return 100;
  let total = 0;
  for (const share of shares.values()) total += share;
  return (100 * (shares.get(version) ?? 0)) / total;
}

function formatCounts(outcome: VersionOutcomes | undefined) {
  const { completed = 0, failed = 0, averageMs, lastAt } = outcome ?? {};
  return { calls: completed + failed, failed, averageMs, lastAt };
}

function render(lines: readonly VersionLine[], { terminal }: Session): string {
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
