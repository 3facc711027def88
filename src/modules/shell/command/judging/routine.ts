import { cutHead, oneLine } from "../../../../base/index.ts";
import type { RoutineTerms } from "../analysis.ts";
import { isGuarded, namesIn, runsByItself } from "../named-files.ts";
import { codeUse } from "../programs/code-runners.ts";
import { gitLosesNothing, gitOnlyLooks, stagedBy } from "../programs/git-routine.ts";
import { shownBy } from "../programs/git-shows.ts";
import { knownToTouch } from "../programs/known-programs.ts";
import { optionTable, readOptions } from "../syntax/options.ts";
import type { Argument } from "../syntax/word.ts";
import { changesUnnamed, isBuiltin } from "../unnamed-files.ts";
import { hasReadOnlyForm, unknownOption } from "./read-only.ts";
import { npmLooks, printsOnly } from "./says-only.ts";

export interface RoutineFacts {
  /** Something is written to its input: names of files, or commands. */
  readonly fed: boolean;
}

/**
 * What has to hold for a program with these arguments to run unasked in a sandbox that bounds it to the workspace;
 * a phrase where something is known against it. One that is known to touch only what its line names may name nothing
 * that is there. One of which nothing is known may replace a file of its own choice (`a.out`, `typescript`), so no such
 * program may be installed: what is mistyped does nothing.
 */
export function routineTerms(
  name: string,
  args: readonly Argument[],
  { fed }: RoutineFacts,
): RoutineTerms | string {
  if (name === "git") return gitTerms(args);
  if (printsOnly(name, args)) return { absent: [] };
  if (Object.hasOwn(makers, name)) {
    const made = madeBy(makers[name] as Maker, args);
    return made !== undefined
      ? { absent: [], makes: made }
      : `${name} has an option that is not known, or names a file that may hold secrets or start programs`;
  }
  if (name === "npm" && npmLooks(args)) return { absent: [], absentAbove: ".npmrc", looks: true };
  const words = args.map(({ text }) => text);
  const code = codeUse(name, words);
  if (code === "starts") return `${name} starts code that the project or its line gives it`;
  if (changesUnnamed(name)) return `${name} may change files that its line does not name`;
  if (windowsProgram.test(name)) return `${cut(name)} may start a program of Windows, outside any sandbox`;
  if (isBuiltin(name)) return `${name} changes what later commands mean`;
  if (hasReadOnlyForm(name)) return notOnlyReading(name, args);
  if (fed) return `what ${name} is to do may come from a pipe or a file`;
  if (args.some(({ glob }) => glob === true)) return `a pattern says which files ${name} gets`;
  const home = args.find((arg) => arg.home === true);
  if (home !== undefined) return `${name} names ${cut(home.text)} in your home folder`;
  const names = namesIn(words);
  if (names === undefined)
    return `the words of ${name} may hold a pattern or code, or are too many to look up`;
  const guarded = names.find(isProtected);
  if (guarded !== undefined) return `${name} names ${cut(guarded)}, which may hold secrets or start programs`;
  const acting = words.find(actsByItself);
  if (acting !== undefined) return `${name} may start ${cut(acting)}`;
  const known = code === "harmless" ? "all" : knownToTouch(name, args);
  return {
    absent: [...names, ...binFolders.map((folder) => `${folder}/${name}`)],
    ...(known === "git" && { repository: true }),
    ...(known === undefined && { notInstalled: name }),
  };
}

function gitTerms(args: readonly Argument[]): RoutineTerms | string {
  if (!gitLosesNothing(args)) return "it is not among the forms of git that are known to lose nothing";
  const stages = stagedBy(args);
  const shows = shownBy(args);
  if (typeof shows === "string") return shows;
  return {
    absent: [],
    repository: true,
    ...(gitOnlyLooks(args) && { looks: true as const }),
    ...(stages !== undefined && { stages }),
    ...(shows !== undefined && { shows }),
  };
}

function notOnlyReading(name: string, args: readonly Argument[]): string {
  const option = unknownOption(name, args);
  return option === undefined
    ? `${name} is known to only read, but not with these arguments`
    : `${name} is known to only read, but not with ${cut(option)}`;
}

function cut(text: string): string {
  return cutHead(oneLine(text), mostShown);
}

function isProtected(path: string): boolean {
  return isGuarded(path) || runsByItself(path);
}

/** Characters of a name within a phrase. */
const mostShown = 100;

/** The folders in which a workspace keeps programs of its own, which a search for programs may come upon first. */
const binFolders = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", "bin"];

/** What needs no names to do harm, where a program that starts others is given it. */
const acting: ReadonlySet<string> = new Set(
  (
    "git hg svn jj make gmake ninja cmake gradle mvn find fd fdfind tar bsdtar unzip 7z cpio pax patch split csplit rsync rclone " +
    "xargs parallel busybox toybox sudo doas eval bash sh zsh dash ksh fish csh tcsh python python2 python3 node deno bun perl ruby " +
    "php lua awk gawk npm npx pnpm yarn cargo go docker podman ssh vim vi ex ed emacs sqlite3 logrotate stow mmv detox reboot"
  ).split(" "),
);

/** Whether a word, or the value in it, is a program that the one before it might start. */
function actsByItself(word: string): boolean {
  return [word, word.slice(word.indexOf("=") + 1)].some((one) =>
    acting.has(one.slice(one.lastIndexOf("/") + 1)),
  );
}

/** Names by which Linux under Windows starts programs of Windows, also where none of them is on the PATH. */
const windowsProgram = /\.(exe|com|cmd|bat|ps1)$/i;

interface Maker {
  readonly options: ReturnType<typeof optionTable>;
}

/** Programs that only make what is not there, whatever paths they are given. */
const makers: Readonly<Record<string, Maker>> = {
  mkdir: { options: optionTable("pv", "parents verbose", "") },
  touch: { options: optionTable("acmh", "no-create", "d date") },
};

function madeBy({ options }: Maker, args: readonly Argument[]): readonly string[] | undefined {
  const operands = readOptions(args, options, { stopAtOperand: false })?.operands ?? [];
  const known = operands.length > 0 && operands.every(({ text, fixed }) => fixed && !isProtected(text));
  return known ? operands.map(({ text }) => text) : undefined;
}
