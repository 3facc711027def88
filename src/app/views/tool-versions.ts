import type { Tool } from "../../kernel/index.ts";
import type { VersionOutcomes } from "../../modules/ledger/index.ts";
import type { App } from "../create-app.ts";

/** One version of a tool, with the outcomes of its calls. */
export interface ToolVersion {
  readonly tool: string;
  /** The name of the version in calls, or in the ledger for a version that is gone. */
  readonly version: string;
  /** The percentage of calls without a version that go to this one; undefined for a version that is gone. */
  readonly share: number | undefined;
  readonly calls: number;
  readonly failed: number;
  readonly averageMs: number | undefined;
  /** Unix ms. */
  readonly lastAt: number | undefined;
}

/** Lists the versions of a tool: first the present ones, then those that only the ledger knows. Empty for an unknown name. */
export async function listToolVersions(
  { registry, store }: Pick<App, "registry" | "store">,
  name: string,
): Promise<readonly ToolVersion[]> {
  const tool = registry.get(name);
  const { ledger } = await store();
  const left = new Map((await ledger.outcomes({ tool: name })).map((one) => [one.version, one]));
  const lines: ToolVersion[] = [];
  for (const [version, one] of listVersions(tool)) {
    lines.push({
      tool: name,
      version,
      share: getShare(tool, version),
      ...formatCounts(left.get(one.version)),
    });
    left.delete(one.version);
  }
  for (const [version, gone] of left)
    lines.push({ tool: name, version, share: undefined, ...formatCounts(gone) });
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
