import { messageOf } from "../../base/index.ts";
import { type Tool, withVersions } from "../../kernel/index.ts";
import type { Fields } from "../fields.ts";
import { type FileProblem, nameTaken } from "../problems.ts";
import type { MarkdownTool } from "./markdown-tool.ts";

/** Which of several tools of one name a file describes. */
export interface VersionFields {
  /** By which it is called: `name@label`. */
  readonly label: string | undefined;
  /** Parts of the calls that name no version. */
  readonly share: number | undefined;
}

export function readVersionFields(fields: Fields): VersionFields {
  const label = fields.text("version", {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    form: 'letters, digits, ".", "_" and "-", at most 32; a number in quotes',
  });
  const share = fields.number("share", { least: 0, most: 1_000_000 });
  if (share !== undefined && label === undefined)
    fields.invalid("share", "it is of one version among several; say `version` too");
  return { label, share };
}

/** A tool, and the file it comes from. */
export interface Registered {
  readonly definition: MarkdownTool;
  readonly tool: Tool;
}

/**
 * One tool of each name: of several that say their versions, all side by side; of others that of the first file. Where
 * no version has a share, the calls that name none go to the highest.
 */
export function sideBySide(kept: readonly Registered[]): {
  readonly chosen: readonly Registered[];
  readonly doubles: readonly FileProblem[];
} {
  const chosen: Registered[] = [];
  const doubles: FileProblem[] = [];
  for (const [name, all] of groupByName(kept)) {
    const [first, ...others] = all as [Registered, ...Registered[]];
    const versions = versionsAmong(all);
    if (versions.size < all.length) {
      chosen.push(first);
      const why = `"${first.definition.path}" has it; rename one of them, or give each a \`version\` of its own`;
      doubles.push(...others.map(({ definition }) => nameTaken(definition.path, `the tool "${name}"`, why)));
      continue;
    }
    try {
      chosen.push({ ...first, tool: withVersions(toolsOf(versions), choiceOf(versions)) });
    } catch (error) {
      chosen.push(first);
      doubles.push(
        ...others.map(({ definition }) => nameTaken(definition.path, `the tool "${name}"`, messageOf(error))),
      );
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

function toolsOf(versions: ReadonlyMap<string, Registered>): ReadonlyMap<string, Tool> {
  return new Map(Array.from(versions, ([label, { tool }]) => [label, tool]));
}

function choiceOf(versions: ReadonlyMap<string, Registered>): Record<string, number> | undefined {
  const shares = Array.from(versions, ([label, { definition }]) => [label, definition.share ?? 0] as const);
  return shares.some(([, share]) => share > 0) ? Object.fromEntries(shares) : undefined;
}
