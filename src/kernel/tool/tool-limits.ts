import { compileGlob } from "../../base/index.ts";

/** Lists of names that restrict who calls. Of several, each binds: a call gets what all of them leave. */
export interface ToolLimits {
  /** The owner of the lists, in words for whoever meets them: `the agent "architect"`. */
  readonly by: string;
  /** The setting that holds them: `agents.architect in "haft.config.yml"`. Absent: the caller set them. */
  readonly place?: string;
  /** Names and globs: the only tools there are. An empty list allows none. Absent: all. */
  readonly allowedTools?: readonly string[];
  /** Names and globs of tools that can't be called, whatever any list allows. */
  readonly blockedTools?: readonly string[];
  /** Why they are blocked, where no list of the owner says so, as half a sentence, and what changes that. */
  readonly blocks?: { readonly why: string; readonly remedy: string };
  /** Names and globs: the only tools that lists of definitions have. Absent: all. */
  readonly shownTools?: readonly string[];
  /** Whether a tool that is not shown can be called by name. @default true */
  readonly callHidden?: boolean;
}

type NameTest = (name: string) => string | undefined;

const compiled = new WeakMap<readonly string[], NameTest>();

/** The entry of a list that names a tool: its own name before a glob. A list is compiled once, as it is when first used. */
export function entryNaming(list: readonly string[], name: string): string | undefined {
  let test = compiled.get(list);
  if (test === undefined) {
    test = compileList(list);
    compiled.set(list, test);
  }
  return test(name);
}

function compileList(list: readonly string[]): NameTest {
  const names = new Set(list);
  const globs = list
    .filter((entry) => /[*?]/.test(entry))
    .map((entry) => ({ entry, matches: compileGlob(entry) }));
  return (name) => (names.has(name) ? name : globs.find(({ matches }) => matches(name))?.entry);
}
