import { isGuarded } from "../named-files.ts";
import { type OptionTable, optionTable, type ReadOptions, readOptions } from "../syntax/options.ts";
import type { Argument } from "../syntax/word.ts";

interface Subcommand {
  readonly options: OptionTable;
  readonly allows: (operands: readonly string[], given: ReadonlyMap<string, string | true>) => boolean;
}

const any = () => true;
const none = (operands: readonly string[]) => operands.length === 0;
const local = (operands: readonly string[]) => operands.every(isLocal);
const first = (words: string) => (operands: readonly string[]) =>
  words.split(" ").includes(operands[0] ?? "") && operands.slice(1).every(isLocal);

function isName(text: string | undefined): boolean {
  return text !== undefined && /^[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(text) && !text.includes("..");
}

/** Outside the work tree git compares any two files, as `diff` does. */
function isLocal(text: string): boolean {
  return !/^[/~]/.test(text) && !/(^|[/:])\.\.(\/|$)/.test(text);
}

const looks = [
  "0123456789psuzabw",
  "oneline graph all decorate stat shortstat numstat summary name-only name-status patch no-patch raw cached staged " +
    "no-color color merges no-merges first-parent reverse follow abbrev-commit no-abbrev-commit word-diff minimal " +
    "ignore-all-space ignore-space-change ignore-blank-lines exit-code quiet check full-index binary patch-with-stat " +
    "no-ext-diff no-textconv no-renames find-renames dirstat date-order topo-order author-date-order branches tags remotes " +
    "boundary left-right cherry-pick merge-base parents children patience histogram relative compact-summary " +
    // What follows them without "=" is no value of theirs.
    "pretty abbrev",
  "n U S G L pretty format date since after until before author committer grep max-count skip unified diff-filter " +
    "diff-algorithm abbrev decorate color word-diff stat",
] as const;

/**
 * What of git loses nothing that is there: it looks, or adds to what is kept. Not here: whatever changes files of the
 * work tree, moves or deletes a name of a commit, or takes a path or address to a repository (`--upload-pack`, `ext::`).
 */
const subcommands: Readonly<Record<string, Subcommand>> = {
  status: subcommand(
    local,
    "sbuvz",
    "short branch porcelain long verbose ignored show-stash ahead-behind",
    "untracked-files porcelain u",
  ),
  diff: subcommand(local, ...looks),
  log: subcommand(local, ...looks),
  show: subcommand(local, ...looks),
  whatchanged: subcommand(local, ...looks),
  shortlog: subcommand(
    (operands) => operands.length > 0 && local(operands),
    "sne",
    "summary numbered email",
    "since until",
  ),
  reflog: subcommand(
    (operands) => operands.length === 0 || operands[0] === "show" || operands[0] === "list",
    "n",
    "all",
    "n date",
  ),
  describe: subcommand(any, "", "tags always all long dirty contains", "abbrev match"),
  blame: subcommand(local, "wslebtf", "line-porcelain porcelain", "L"),
  "ls-files": subcommand(
    local,
    "cdmosuzt",
    "cached deleted modified others stage exclude-standard full-name error-unmatch",
    "x",
  ),
  "ls-tree": subcommand(local, "rdtlz", "name-only name-status long full-name full-tree", ""),
  "rev-list": subcommand(
    any,
    "n",
    "count all no-merges merges reverse first-parent",
    "n max-count since until",
  ),
  "rev-parse": subcommand(
    any,
    "q",
    "abbrev-ref show-toplevel git-dir verify short quiet is-inside-work-tree",
    "short",
  ),
  "merge-base": subcommand(any, "a", "all is-ancestor fork-point", ""),
  "name-rev": subcommand(any, "", "tags name-only", ""),
  "show-ref": subcommand(any, "qsd", "heads tags verify quiet head", ""),
  "for-each-ref": subcommand(any, "", "", "format sort count"),
  "check-ignore": subcommand(local, "vqn", "verbose quiet non-matching", ""),
  "count-objects": subcommand(none, "vH", "verbose human-readable", ""),
  version: subcommand(none, "", "build-options", ""),
  help: subcommand(any, "a", "all", ""),
  grep: subcommand(
    (operands, given) => local(isPatternGiven(given) ? operands : operands.slice(1)),
    "aIwviEFGPnlLcozhHWpq0123456789",
    "text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column " +
      "files-with-matches name-only files-without-match null only-matching count color no-color break heading show-function " +
      "function-context cached quiet all-match and or not no-textconv no-recursive recursive",
    "A B C e m after-context before-context context max-count max-depth threads color",
  ),
  config: subcommand(
    (operands, given) => isConfigLook(operands, given),
    "lz",
    "get get-all list local global system show-origin show-scope name-only null bool int path",
    "type default",
  ),
  restore: subcommand(
    (operands, given) =>
      (given.has("S") || given.has("staged")) &&
      operands.length > 0 &&
      operands.every((path) => isLocal(path) && !/^\.\/?$/.test(path)),
    "Sq",
    "staged quiet",
    "",
  ),
  /** Hooks may run, and an editor: the repository must name none. */
  add: subcommand(local, "vnpAu", "verbose dry-run patch intent-to-add all update", ""),
  commit: subcommand(
    local,
    "sqve",
    "signoff quiet verbose allow-empty dry-run no-edit",
    "m F message file author date",
  ),
  branch: subcommand(
    (operands, given) => (operands.length <= 1 && operands.every(isName)) || isListing(given),
    "arvlq",
    "all remotes list verbose show-current no-color quiet",
    "sort format contains no-contains merged no-merged",
  ),
  tag: subcommand(
    (operands, given) => (operands.length <= 2 && operands.every(isName)) || isListing(given),
    "ln",
    "list",
    "sort format contains points-at n",
  ),
  switch: subcommand(none, "q", "quiet", "c create"),
  checkout: subcommand(none, "q", "quiet", "b"),
  stash: subcommand(first("list show"), "p", "stat patch name-only", ""),
  remote: subcommand(
    (operands) => operands.length === 0 || (operands[0] === "get-url" && operands.length === 2),
    "v",
    "verbose",
    "",
  ),
  worktree: subcommand(first("list"), "v", "porcelain", ""),
  submodule: subcommand(first("status"), "", "recursive cached", ""),
  bisect: subcommand(first("log"), "", "", ""),
  fetch: subcommand((operands) => operands.every(isName), "vqn", "verbose quiet all dry-run no-tags", ""),
  init: subcommand(none, "q", "quiet", "b initial-branch"),
};

function subcommand(
  allows: Subcommand["allows"],
  flags: string,
  longFlags: string,
  values: string,
): Subcommand {
  return { options: optionTable(flags, longFlags, values), allows };
}

function isPatternGiven(given: ReadonlyMap<string, string | true>): boolean {
  return given.has("e");
}

/** One value by its name, or those of the repository itself; what the owner's own file has may be a secret. */
function isConfigLook(operands: readonly string[], given: ReadonlyMap<string, string | true>): boolean {
  const [first, ...rest] = operands;
  const lists = given.has("l") || given.has("list") || first === "list";
  if (lists) return given.has("local") && (first === undefined || (first === "list" && rest.length === 0));
  const names = first === "get" && !given.has("get") ? rest : operands;
  const [key = ""] = names;
  // A name and nothing else is asked for; with a value it would be set.
  const isAlone = names.length === 1 && key.includes(".");
  return isAlone && /^[A-Za-z][\w.-]*$/.test(key) && !/token|pass|secret|key|header|cookie|helper/i.test(key);
}

const looking: ReadonlySet<string> = new Set(
  (
    "status diff log show whatchanged shortlog reflog describe blame ls-files ls-tree rev-list rev-parse merge-base name-rev " +
    "show-ref for-each-ref check-ignore count-objects version grep config worktree submodule bisect remote stash"
  ).split(" "),
);

/** Whether a line of git, which is known to lose nothing, only looks: it adds nothing either. */
export function gitOnlyLooks(args: readonly Argument[]): boolean {
  const line = readGit(args);
  if (line === undefined) return false;
  const { command, operands, paths, given } = line;
  if (looking.has(command)) return true;
  return (
    (command === "branch" || command === "tag") &&
    paths === undefined &&
    (operands.length === 0 || isListing(given))
  );
}

function isListing(given: ReadonlyMap<string, string | true>): boolean {
  return given.has("l") || given.has("list");
}

const creating: ReadonlySet<string> = new Set(["switch", "checkout"]);

/** A line of git taken apart. */
export interface GitLine extends Pick<ReadOptions, "given" | "varied"> {
  readonly command: string;
  /** Before a `--`. */
  readonly operands: readonly string[];
  /** The paths after it, where there are any. */
  readonly paths?: readonly string[];
}

/** undefined for a subcommand or an option that is not known to lose nothing. */
export function readGit(args: readonly Argument[]): GitLine | undefined {
  const [command, ...rest] = args.slice(args[0]?.text === "--no-pager" ? 1 : 0);
  if (command === undefined || !Object.hasOwn(subcommands, command.text)) return undefined;
  const read = readOptions(rest, (subcommands[command.text] as Subcommand).options, { stopAtOperand: false });
  if (read === undefined) return undefined;
  const texts = read.operands.map(({ text }) => text);
  const end = rest.findIndex(({ text }) => text === "--");
  const after = end < 0 ? 0 : rest.length - end - 1;
  return {
    command: command.text,
    given: read.given,
    varied: read.varied,
    operands: texts.slice(0, texts.length - after),
    ...(end >= 0 && { paths: texts.slice(texts.length - after) }),
  };
}

/** Whether a line of git loses nothing, as long as the repository's configuration starts nothing. */
export function gitLosesNothing(args: readonly Argument[]): boolean {
  const line = readGit(args);
  if (line === undefined || !args.every(({ fixed, home }) => fixed && home !== true)) return false;
  const { command, given } = line;
  if (creating.has(command)) {
    if (!["c", "create", "b"].some((name) => given.has(name))) return false;
    if (!Array.from(given.values()).every((value) => value === true || isName(value))) return false;
  }
  const files = ["F", "file"].map((name) => given.get(name)).filter((value) => typeof value === "string");
  const operands = [...line.operands, ...(line.paths ?? [])];
  // What is looked for is no file.
  const named = command === "grep" && !isPatternGiven(given) ? operands.slice(1) : operands;
  // A pattern may stand for any name, and what follows a colon for a file.
  if ([...named, ...files].some((text) => /[*?[]/.test(text) || [text, ...text.split(":")].some(isGuarded)))
    return false;
  return files.every(isLocal) && (subcommands[command] as Subcommand).allows(operands, given);
}

/** What `git add` would take in, as `RoutineTerms.stages`; undefined for what takes in nothing by itself. */
export function stagedBy(args: readonly Argument[]): readonly string[] | undefined {
  const line = readGit(args);
  if (line?.command !== "add") return undefined;
  const operands = [...line.operands, ...(line.paths ?? [])];
  if (operands.length === 0) return [""];
  // Magic and patterns of git's own reach anywhere.
  return operands.map((text) => (/^:|[*?[\\]/.test(text) ? "" : text));
}
