import { isGuarded } from "../named-files.ts";
import { type OptionTable, optionTable, readOptions } from "../syntax/options.ts";
import { fixedArgument } from "../syntax/word.ts";

/** What a git command goes to that changes files, refs or the index, all of which a snapshot can hold. */
export interface GitChange {
  /** Local branches that it goes to. */
  readonly branches?: readonly string[];
  /** Commits that it goes to. */
  readonly revisions?: readonly string[];
  /** Stash that it applies, by its place in the list. */
  readonly stash?: number | "latest";
  /** The commit is told from where HEAD is, so another command of the line may change which one it is. */
  readonly relative?: true;
  /** It adds to the list of stashes, so that the places in it change. */
  readonly stashes?: true;
}

interface Form {
  readonly options: OptionTable;
  readonly read: (operands: readonly string[], line: FormLine) => GitChange | undefined;
}

interface FormLine {
  readonly given: ReadonlyMap<string, string | true>;
  /** Paths behind `--`; absent if there is none. */
  readonly paths: readonly string[] | undefined;
}

/**
 * Git commands that lose nothing if the snapshot of the folder and the state of the repository from before are put back. Not here,
 * since people mean to be asked: what throws away a stash, a branch, or changes that were not committed (`stash pop`, `reset`
 * without more, `reset --hard`, `checkout -- FILE`, `restore`), and what makes or rewrites commits (`merge`, `rebase`, `commit --amend`).
 */
const forms: Readonly<Record<string, readonly Form[]>> = {
  stash: [
    form("qkS", "quiet keep-index staged", "m message", readStashPush),
    form("q", "quiet index", "", readStashApply),
  ],
  switch: [
    form("qd", "quiet detach", "", (operands, { given, paths }) => {
      if (paths !== undefined || operands.length !== 1) return undefined;
      return given.has("d") || given.has("detach") ? revision(operands[0]) : branch(operands[0]);
    }),
    form("q", "quiet", "c create", readNewBranch),
  ],
  checkout: [
    form("q", "quiet detach", "", (operands, { given, paths }) => {
      if (paths !== undefined || operands.length !== 1) return undefined;
      return operands[0] === "-" && !given.has("detach") ? branch("-") : revision(operands[0]);
    }),
    form("q", "quiet", "b", readNewBranch),
  ],
  reset: [
    form("q", "quiet soft", "", (operands, { given, paths }) => {
      if (!given.has("soft") || paths !== undefined || operands.length !== 1) return undefined;
      return revision(operands[0], { relative: true });
    }),
    form("q", "quiet", "", (operands, { paths }) => {
      const names = paths ?? operands.slice(1);
      const isFromHead = paths === undefined ? operands[0] === "HEAD" : /^(HEAD)?$/.test(operands.join(" "));
      return isFromHead && names.length > 0 && names.every(isFile) ? {} : undefined;
    }),
  ],
  merge: [
    form("q", "quiet ff-only", "", (operands, { given, paths }) =>
      given.has("ff-only") && paths === undefined && operands.length === 1
        ? revision(operands[0])
        : undefined,
    ),
  ],
  rm: [
    form("q", "quiet cached", "", (operands, { paths = [] }) => {
      const names = [...operands, ...paths];
      return names.length > 0 && names.every((name) => isFile(name) && !isGuarded(name)) ? {} : undefined;
    }),
  ],
};

/** Reads a command of git by its words; undefined if it is not known that a snapshot holds all that it changes. */
export function readGitChange([program, command = "", ...args]: readonly string[]): GitChange | undefined {
  // What a shell would still change in a word, these texts don't show.
  if (
    program !== "git" ||
    args.some((arg) => /[$`*?[{~\\\n]/.test(arg.replace(/^stash@\{\d+\}$|[~^]\d*/g, "")))
  )
    return undefined;
  for (const { options, read } of Object.hasOwn(forms, command) ? (forms[command] as readonly Form[]) : []) {
    const end = args.indexOf("--");
    const line = readOptions((end < 0 ? args : args.slice(0, end)).map(fixedArgument), options, {
      stopAtOperand: false,
    });
    const paths = end < 0 ? undefined : args.slice(end + 1);
    const operands = line?.operands.map(({ text }) => text) ?? [];
    const change = line && read(operands, { given: line.given, paths });
    if (change !== undefined) return change;
  }
  return undefined;
}

function form(flags: string, longFlags: string, values: string, read: Form["read"]): Form {
  return { options: optionTable(flags, longFlags, values), read };
}

function readStashPush([command = "push", ...rest]: readonly string[], { paths = [] }: FormLine) {
  // Without the word "push", paths follow "--".
  const names = [...rest, ...paths];
  return command === "push" && names.every(isFile) ? ({ stashes: true } as const) : undefined;
}

function readStashApply([command, place, ...rest]: readonly string[], { paths }: FormLine) {
  if (command !== "apply" || rest.length > 0 || paths !== undefined) return undefined;
  if (place === undefined) return { stash: "latest" } as const;
  const number = /^(?:stash@\{(\d{1,4})\}|(\d{1,4}))$/.exec(place);
  return number === null ? undefined : { stash: Number(number[1] ?? number[2]) };
}

/** A new branch at a commit; at HEAD it is known to lose nothing, and names no commit. */
function readNewBranch(operands: readonly string[], { given, paths }: FormLine): GitChange | undefined {
  const name = given.get("c") ?? given.get("create") ?? given.get("b");
  if (typeof name !== "string" || !isBranch(name) || paths !== undefined || operands.length > 1)
    return undefined;
  const [start] = operands;
  // From a branch of a remote git would write its configuration, too.
  return start === undefined ? {} : branch(start === "-" ? undefined : start);
}

function branch(name: string | undefined): GitChange | undefined {
  if (name === "-") return { branches: [name], relative: true };
  return name !== undefined && isBranch(name) ? { branches: [name] } : undefined;
}

function revision(text = "", { relative = false } = {}): GitChange | undefined {
  const [, name = "", steps = ""] = /^(.*?)((?:~\d*|\^\d?)*)$/.exec(text) ?? [];
  if (name === "HEAD" || name === "@" || steps !== "")
    return relative && (isBranch(name) || name === "@") ? { revisions: [text], relative: true } : undefined;
  return isBranch(name) ? { revisions: [name] } : undefined;
}

/** Whether git may have a branch of this name. */
export function isBranch(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(name) && !/\.\.|\.lock(\/|$)|[./]$|\/[./]/.test(name);
}

/** Whether a path stands for itself and lies in the work tree. */
function isFile(path: string): boolean {
  return !/^[-:/]|^\.{0,2}\/?$|(^|\/)\.\.(\/|$)/.test(path);
}
