import { dirname } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import { type Tool, withVersions } from "../../kernel/index.ts";
import { type FileProblem, nameTaken } from "../problems.ts";
import type { MarkdownTool } from "./markdown-tool.ts";

/** A tool, and the file it comes from. */
export interface Registered {
  readonly definition: MarkdownTool;
  readonly tool: Tool;
}

/**
 * One tool of each name: of several in one folder that say their versions, all side by side; of others that of the
 * first file. Where no version has a share, the calls that name none go to the highest.
 */
export function sideBySide(kept: readonly Registered[]): {
  readonly chosen: readonly Registered[];
  readonly doubles: readonly FileProblem[];
} {
  const chosen: Registered[] = [];
  const doubles: FileProblem[] = [];
  for (const [name, all] of groupByName(kept)) {
    const [first] = all as [Registered, ...Registered[]];
    const taken = (ones: readonly Registered[], why: string) =>
      doubles.push(...ones.map(({ definition }) => nameTaken(definition.path, `the tool "${name}"`, why)));
    const has = `"${first.definition.path}" has it; rename one of them`;
    const folder = dirname(first.definition.path);
    const together = all.filter(({ definition }) => dirname(definition.path) === folder);
    const others = together.slice(1);
    // A project's file is no version of the owner's tool: it would get calls that were allowed to that one.
    taken(
      all.filter((one) => !together.includes(one)),
      has,
    );
    const versions = versionsAmong(together);
    if (versions.size < together.length) {
      chosen.push(first);
      taken(others, `${has}, or give each a \`version\` of its own`);
      continue;
    }
    try {
      chosen.push({ ...first, tool: withVersions(collectTools(versions), findChoice(versions)) });
    } catch (error) {
      chosen.push(first);
      taken(others, getErrorMessage(error));
    }
  }
  return { chosen, doubles };
}

function groupByName(kept: readonly Registered[]): ReadonlyMap<string, readonly Registered[]> {
  const groups = new Map<string, Registered[]>();
  for (const one of kept) groups.set(one.tool.name, [...(groups.get(one.tool.name) ?? []), one]);
  return groups;
}

/** Those that say which they are, in the order of their versions. */
function versionsAmong(all: readonly Registered[]): ReadonlyMap<string, Registered> {
  const labelled = all.flatMap((one) => {
    const { label } = one.definition;
    return label === undefined ? [] : [[label, one] as const];
  });
  return new Map(labelled.toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true })));
}

function collectTools(versions: ReadonlyMap<string, Registered>): ReadonlyMap<string, Tool> {
  return new Map(Array.from(versions, ([label, { tool }]) => [label, tool]));
}

function findChoice(versions: ReadonlyMap<string, Registered>): Record<string, number> | undefined {
  const shares = Array.from(versions, ([label, { definition }]) => [label, definition.share ?? 0] as const);
  return shares.some(([, share]) => share > 0) ? Object.fromEntries(shares) : undefined;
}
