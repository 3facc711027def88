import type { FileUse, FileUseKind } from "../analysis.ts";
import { findReadOnlyProgram, type Operands } from "../programs/read-only-programs.ts";
import { isSedPrinting } from "../programs/sed-script.ts";
import { optionTable, readOptions } from "../syntax/options.ts";
import { type Argument, fixedArgument } from "../syntax/word.ts";
import { asksFirst, manLooks, pipLooks, printsOnly, saysOnly } from "./says-only.ts";

interface ReadOnlyFacts {
  /** Something is written to its input. */
  readonly fed: boolean;
}

/**
 * The files that a program reads if it is known to do nothing else with these arguments; undefined where that is
 * not known.
 */
export function readOnlyUses(
  name: string,
  args: readonly Argument[],
  { fed }: ReadOnlyFacts = { fed: true },
): readonly FileUse[] | undefined {
  if (saysOnly(name, args) || (name.startsWith("node") && printsOnly(name, args))) return [];
  if (name === "rm" && !fed && asksFirst(args)) return [];
  const special = Object.hasOwn(specials, name) ? specials[name] : undefined;
  if (special !== undefined) return special(args);
  const program = findReadOnlyProgram(name);
  if (program === undefined) return undefined;
  if (program.operands === "any") return [];
  const read = readOptions(args.map(behindFolder), program.options, { stopAtOperand: false });
  if (read === undefined || read.operands.length > program.most) return undefined;
  // What a pattern stands for may be more than one.
  if (program.most !== Number.POSITIVE_INFINITY && read.operands.some(({ glob }) => glob === true))
    return undefined;
  const patternGiven = read.given.has("e") || read.given.has("regexp");
  const recursive = name === "grep" && (read.given.has("r") || read.given.has("recursive"));
  const lists = name === "rg" && read.given.has("files");
  const operands = lists ? "names" : recursive ? "pattern-search" : program.operands;
  return listUses(operands, read.operands, { name, patternGiven });
}

/** Whether a program is known to only read, with the options that leave it so. */
export function hasReadOnlyForm(name: string): boolean {
  return Object.hasOwn(specials, name) || findReadOnlyProgram(name) !== undefined;
}

/** The first option that the program is not known with; undefined where it is something else. */
export function unknownOption(name: string, args: readonly Argument[]): string | undefined {
  const program = findReadOnlyProgram(name);
  if (program === undefined || program.operands === "any") return undefined;
  const known = ({ text }: Argument) =>
    readOptions([fixedArgument(text), fixedArgument("value")], program.options, { stopAtOperand: true }) !==
    undefined;
  return args.find((word) => word.fixed && word.text.startsWith("-") && !known(word))?.text;
}

/** A pattern may find a file whose name is an option; `ls` has none that does harm, and others are looked at. */
function behindFolder(word: Argument): Argument {
  return word.glob === true && /^[*?[]/.test(word.text) ? { ...word, text: `./${word.text}` } : word;
}

interface OperandsOf {
  readonly name: string;
  readonly patternGiven: boolean;
}

function listUses(
  kind: Operands,
  operands: readonly Argument[],
  of: OperandsOf,
): readonly FileUse[] | undefined {
  switch (kind) {
    case "any":
      return [];
    case "none":
      return operands.length === 0 ? [] : undefined;
    case "text":
      return operands.every(({ fixed }) => fixed) ? [] : undefined;
    case "names":
      return operands.length === 0 ? [usePath(".", "names")] : usesEach(operands, "names", of);
    case "files":
      return usesEach(operands, "read");
    case "search":
      return operands.length === 0 ? [usePath(".", "search")] : usesEach(operands, "search");
    case "pattern-files":
    case "pattern-search": {
      if (!of.patternGiven && (operands[0]?.fixed !== true || takesPrograms(of.name, operands[0].text)))
        return undefined;
      return listUses(
        kind === "pattern-files" ? "files" : "search",
        of.patternGiven ? operands : operands.slice(1),
        of,
      );
    }
    default:
      return kind satisfies never;
  }
}

/** jq's own words for reading other files, and for the environment. */
function takesPrograms(name: string, pattern: string): boolean {
  return (
    name === "jq" && /\b(import|include|input_filename|modulemeta|env|ENV|getpath|debug)\b/.test(pattern)
  );
}

function usesEach(
  operands: readonly Argument[],
  kind: FileUseKind,
  { name = "" } = {},
): readonly FileUse[] | undefined {
  const uses: FileUse[] = [];
  for (const operand of operands) {
    if (operand.text === "-" && operand.fixed) continue;
    const use = operand.fixed
      ? { kind, path: operand.text, home: operand.home === true }
      : kind === "search"
        ? undefined
        : useOfGlob(operand, { kind, name });
    if (use === undefined || use.path === "") return undefined;
    uses.push(use);
  }
  return uses;
}

interface GlobUse {
  readonly kind: FileUseKind;
  /** The program's. */
  readonly name: string;
}

function useOfGlob(operand: Argument, { kind, name }: GlobUse): FileUse | undefined {
  const folder = operand.glob === true ? folderOfGlob(operand.text) : undefined;
  if (folder === undefined) return undefined;
  // None of the names that `ls` gets is taken for an option that does harm.
  if (name === "ls" && operand.each !== true)
    return { kind: "names", path: folder, home: operand.home === true };
  if (operand.home === true) return undefined;
  if (operand.each === true) return usePath(operand.text, "each");
  return usePath(operand.text, kind === "names" ? "matched-names" : "matches");
}

/** The folder below which a pattern finds what it finds; undefined where it may climb out again. */
function folderOfGlob(pattern: string): string | undefined {
  if (/["'\\$]/.test(pattern)) return undefined;
  const literal = pattern.slice(0, pattern.search(/[*?[+@!]/));
  const rest = pattern.slice(literal.length);
  if (rest.includes("/")) return undefined;
  const slash = literal.lastIndexOf("/");
  return slash < 0 ? "." : literal.slice(0, slash + 1);
}

function usePath(path: string, kind: FileUseKind): FileUse {
  return { kind, path, home: false };
}

type Check = (args: readonly Argument[]) => readonly FileUse[] | undefined;

const lookUp = optionTable("vV", "", "");
const setOptions = optionTable("eux", "", "o");
const dateOptions = optionTable("uRI", "utc universal rfc-email iso-8601", "d date iso-8601 rfc-3339");
const stringsOptions = optionTable("af", "all", "n t bytes radix");
const xxdOptions = optionTable("abEipu", "", "c g l s");
const sedOptions = optionTable(
  "nErsuz",
  "quiet silent regexp-extended separate unbuffered null-data",
  "e expression",
);
const awkOptions = optionTable("", "", "F");
const psOptions = optionTable("aAdefFHjlLTwx", "forest no-headers", "C G g p s t U u pid sort");
/** Options by which `git branch` lists, whatever operands it has; each takes a commit or none. */
const branchFilters = "contains no-contains merged no-merged";
const gitBranch = optionTable(
  "arvl",
  `all remotes list verbose show-current no-color ${branchFilters}`,
  `sort format ${branchFilters}`,
);
/** Subcommands that are part of git itself: with `-h` alone they print their usage. */
const gitBuiltins: ReadonlySet<string> = new Set(
  (
    "add am apply archive bisect blame branch bundle checkout cherry-pick clean clone commit config describe diff fetch gc grep init log " +
    "merge mv notes pull push range-diff rebase reflog remote reset restore revert rm shortlog show stash status switch tag worktree"
  ).split(" "),
);
const gitRevParse = optionTable(
  "q",
  "abbrev-ref show-toplevel git-dir is-inside-work-tree is-bare-repository verify short quiet show-prefix show-cdup absolute-git-dir",
  "short",
);

/** Programs whose operands need a look of their own. */
const specials: Readonly<Record<string, Check>> = {
  /** `%n` sets a variable, with any number of modifiers before the `n`, and so does `-v`. */
  printf: ([format]) =>
    format?.fixed === true && !format.text.startsWith("-") && !/%[^a-zA-Z%]*[hjlLqtz]*n/.test(format.text)
      ? []
      : undefined,
  test: testUses,
  "[": testUses,
  find: findUses,
  set(args) {
    const read = readOptions(args, setOptions, { stopAtOperand: false });
    const option = read?.given.get("o");
    return read?.operands.every(({ fixed }) => fixed) === true &&
      (option === undefined || (option === "pipefail" && !read.varied.has("o")))
      ? []
      : undefined;
  },
  /** An operand without "+" sets the clock. */
  date(args) {
    const read = readOptions(args, dateOptions, { stopAtOperand: false });
    return read?.operands.every(({ fixed, text }) => fixed && text.startsWith("+")) === true ? [] : undefined;
  },
  sed: sedUses,
  cd: (args) =>
    args.length === 1 && args[0]?.fixed === true && !/^[-+]/.test(args[0].text) ? [] : undefined,
  command(args) {
    const read = readOptions(args, lookUp, { stopAtOperand: true });
    return read !== undefined && read.given.size > 0 && read.operands.every(({ fixed }) => fixed)
      ? []
      : undefined;
  },
  node: (args) => (args.length === 1 && args[0]?.fixed === true && says.has(args[0].text) ? [] : undefined),
  pip: (args) => (pipLooks(args) ? [] : undefined),
  pip3: (args) => (pipLooks(args) ? [] : undefined),
  man: (args) => (manLooks(args) ? [] : undefined),
  whatis: (args) => (manLooks(args) ? [] : undefined),
  apropos: (args) => (manLooks(args) ? [] : undefined),
  /** Letters without a dash: not `e`, which shows variables of other programs, nor those with a value. */
  ps(args) {
    const read = readOptions(args, psOptions, { stopAtOperand: false });
    return read?.operands.every(({ fixed, text }) => fixed && /^[aAfjlrTuwx]+$/.test(text)) === true
      ? []
      : undefined;
  },
  /** Its options have several letters behind one dash: `-ps FILE` is not `-p -s VALUE`. */
  xxd(args) {
    if (args.some(({ text }) => /^-[A-Za-z]{2}/.test(text))) return undefined;
    const read = readOptions(args, xxdOptions, { stopAtOperand: false });
    return read && read.operands.length <= 1 && read.operands.every(({ fixed }) => fixed)
      ? usesEach(read.operands, "read")
      : undefined;
  },
  /** A word that begins with "@" stands for the words in that file. */
  strings(args) {
    if (!args.every(({ fixed, text }) => fixed && !text.startsWith("@"))) return undefined;
    const read = readOptions(args, stringsOptions, { stopAtOperand: false });
    return read && usesEach(read.operands, "read");
  },
  awk: awkUses,
  gawk: awkUses,
  mawk: awkUses,
  env: (args) => (args.length === 0 ? [] : undefined),
  git: gitUses,
};

const says = new Set(["-v", "--version"]);

/** Prints fields and fixed texts of lines that a number or a plain pattern picks: no call, no redirection, no name. */
const printsFields = (() => {
  const condition = String.raw`(NR|NF) ?(==|!=|>=|<=|>|<) ?[0-9]+|/[A-Za-z0-9_ :,-]+/`;
  const item = String.raw`\$[0-9]+|\$NF|NF|NR|\$0|"[^"\\]*"`;
  return new RegExp(String.raw`^ ?(${condition})? ?\{ ?print( ?(${item})( ?, ?(${item})| (${item}))*)? ?\}$`);
})();

function awkUses(args: readonly Argument[]): readonly FileUse[] | undefined {
  const read = readOptions(args, awkOptions, { stopAtOperand: true });
  const [program, ...files] = read?.operands ?? [];
  if (program?.fixed !== true || !printsFields.test(program.text)) return undefined;
  // `a=b` among the files is no file, and may have any effect on what is read.
  return files.some(({ fixed, text }) => !fixed || /^-|=/.test(text)) ? undefined : usesEach(files, "read");
}

/** `-v` and `-R` evaluate a subscript. */
function testUses(args: readonly Argument[]): readonly FileUse[] | undefined {
  if (!args.every(({ fixed, text }) => fixed && !/^-[vR]$/.test(text))) return undefined;
  return args
    .filter(({ text }) => text.includes("/"))
    .map(({ text, home }) => ({ kind: "names", path: text, home: home === true }));
}

const findTests = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newermt -maxdepth -mindepth -perm -user -group -links -inum -printf -regextype".split(
    " ",
  ),
);
/** Their value is a file, of which they look at no more than the times. */
const findBeside = new Set("-newer -anewer -cnewer -samefile".split(" "));
const findWords = new Set(
  "-print -print0 -ls -empty -prune -not ! -a -and -o -or ( ) -true -false -readable -writable -executable -depth -mount -xdev -quit -nouser -nogroup -daystart -noleaf -P".split(
    " ",
  ),
);

/** `-delete`, `-exec`, `-fprint`, `-L` and whatever is new are not among the words it may have. */
function findUses(args: readonly Argument[]): readonly FileUse[] | undefined {
  const uses: FileUse[] = [];
  let inPaths = true;
  let isHere = true;
  for (let at = 0; at < args.length; at++) {
    const { text, fixed, home } = args[at] as Argument;
    if (!fixed) return undefined;
    if (text !== "-P" && /^([-!(])/.test(text)) inPaths = false;
    if (findWords.has(text)) continue;
    if (findTests.has(text)) {
      if (args[++at]?.fixed !== true) return undefined;
    } else if (findBeside.has(text)) {
      const beside = args[++at];
      if (beside?.fixed !== true) return undefined;
      uses.push({ kind: "names", path: beside.text, home: beside.home === true });
    } else if (inPaths) {
      uses.push({ kind: "names", path: text, home: home === true });
      isHere = false;
    } else return undefined;
  }
  return isHere ? [...uses, usePath(".", "names")] : uses;
}

/** Only scripts that print: sed's other commands write files and start programs. */
function sedUses(args: readonly Argument[]): readonly FileUse[] | undefined {
  const read = readOptions(args.map(behindFolder), sedOptions, { stopAtOperand: false });
  if (read === undefined || read.varied.size > 0) return undefined;
  const given = read.given.get("e") ?? read.given.get("expression");
  const first = read.operands[0];
  const script = given ?? (first?.fixed === true && first.home !== true ? first.text : undefined);
  if (typeof script !== "string" || !isSedPrinting(script)) return undefined;
  if (read.given.has("e") && read.given.has("expression")) return undefined;
  return usesEach(given === undefined ? read.operands.slice(1) : read.operands, "read");
}

/** Whether `git branch` only lists, or prints its usage: git reads the options in order and stops at an `h`. */
function branchLooks(args: readonly Argument[]): boolean {
  if (args[0]?.fixed === true && /^-[dDmMcCfvqarl]*h$/.test(args[0].text)) return true;
  const read = readOptions(args, gitBranch, { stopAtOperand: false });
  if (read === undefined || !read.operands.every(({ fixed }) => fixed)) return false;
  return read.operands.length === 0 || branchFilters.split(" ").some((filter) => read.given.has(filter));
}

/**
 * Only what reads refs and starts nothing: `status`, `diff`, `log` and `show` start programs that a repository's
 * configuration names (core.fsmonitor, filters, textconv, gpg.program).
 */
function gitUses(args: readonly Argument[]): readonly FileUse[] | undefined {
  const [command, ...rest] = args;
  if (command?.fixed !== true) return undefined;
  if (command.text === "--version") return rest.length === 0 ? [] : undefined;
  if (gitBuiltins.has(command.text) && rest.length === 1 && rest[0]?.text === "-h") return [];
  if (command.text === "remote") return rest.every(({ text }) => text === "-v") ? [] : undefined;
  if (command.text === "branch") return branchLooks(rest) ? [] : undefined;
  if (command.text === "rev-parse") {
    const read = readOptions(rest, gitRevParse, { stopAtOperand: false });
    return read?.operands.every(({ fixed }) => fixed) === true ? [] : undefined;
  }
  return undefined;
}
