import { printsOnly } from "../judging/says-only.ts";
import { gitLosesNothing } from "../programs/git-routine.ts";
import type { Argument } from "./word.ts";

/** Options by which an interpreter is given its program on the line. */
const inline: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-z]*c/,
  node: /^(-[A-Za-z]*[ep]|--eval|--print|-r|--require|--import|--loader|--experimental-loader)/,
  deno: /^(eval|repl)$/,
  bun: /^(-e|-p|--eval|--print|x|exec)/,
  perl: /^-[A-Za-z0-9]*[eE]/,
  ruby: /^-[A-Za-z]*e/,
  php: /^-[A-Za-z]*[rBRE]/,
  lua: /^-[A-Za-z]*e/,
  osascript: /^-e/,
  tclsh: /^-$/,
  make: /^(-[A-Za-z]*f|--file|--makefile|--eval)/,
};

const always: Readonly<Record<string, string>> = {
  awk: "its program can start others",
  gawk: "its program can start others",
  mawk: "its program can start others",
  nawk: "its program can start others",
  ssh: "it runs on another machine",
  at: "it runs what it reads",
  batch: "it runs what it reads",
  crontab: "it runs what it reads, later",
  ed: "it runs what it reads",
  ex: "it runs what it reads",
  vi: "it can run whatever it is told",
  vim: "it can run whatever it is told",
  nvim: "it can run whatever it is told",
  emacs: "it can run whatever it is told",
  gdb: "it can run whatever it is told",
  expect: "it can run whatever it is told",
  alias: "it changes what later names mean",
  enable: "it changes what later names mean",
  hash: "it changes what later names mean",
  source: "",
  ".": "",
};

const interpreters = /^(python|node|deno|bun|perl|ruby|php|lua|osascript|tclsh|make)(js|[0-9][0-9.]*)?$/;

/** Why a program with these arguments runs code that can't be judged by them; undefined where it does not. */
export function inlineCode(name: string, args: readonly Argument[]): string | undefined {
  if (name === "crontab" && args.length === 1 && args[0]?.fixed === true && args[0].text === "-l") {
    return undefined;
  }
  if (Object.hasOwn(always, name)) {
    if (always[name] !== "") return always[name];
    return args[0]?.fixed === true && !args[0].text.startsWith("/dev/")
      ? undefined
      : "what it runs is not known before";
  }
  if (name === "git") return gitCode(args);
  if (name === "sed" || name === "gsed") return sedCode(args);
  if (name === "tar" || name === "bsdtar") {
    return args.some(({ text }) =>
      /^--(checkpoint-action|to-command|use-compress-program|rsh-command|info-script|new-volume-script)|^-[A-Za-z]*[IF]/.test(
        text,
      ),
    )
      ? "it can start other programs by an option"
      : undefined;
  }
  const interpreter = interpreters.exec(name === "gmake" ? "make" : name)?.[1];
  if (interpreter === undefined) return undefined;
  if (printsOnly(name, args)) return undefined;
  const pattern = inline[interpreter] as RegExp;
  if (args.some(({ text }) => pattern.test(text))) return "it is given code on the line";
  const program = args.find(({ text }) => !text.startsWith("-"));
  const reads =
    interpreter !== "make" && !args.some(({ text }) => /^(-v|-V|--version|-h|--help|-m)/.test(text));
  // Without a file it starts the tests that it finds.
  const finds = interpreter === "node" && args.some(({ text }) => text === "--test");
  return reads &&
    ((program === undefined && !finds) || args.some(({ text }) => text === "-" || text.startsWith("/dev/")))
    ? "it runs what it reads"
    : undefined;
}

/** Options before git's own command, and values that name programs, make git run anything. */
function gitCode(args: readonly Argument[]): string | undefined {
  for (const { text } of args) {
    if (!text.startsWith("-")) break;
    if (/^(-c|--config-env|--exec-path|--git-dir|--work-tree|--namespace|--super-prefix)/.test(text))
      return "configuration given to git can name programs to run";
  }
  const runs =
    /^(--upload-pack|--receive-pack|--exec|--ext-diff|--textconv|--open-files-in-pager|-O|-x|--extcmd|--output|--template|-u$)|^ext::|^(!|alias\.)/;
  const command = args.find(({ text }) => !text.startsWith("-"))?.text;
  if (command === "config" && gitLosesNothing(args)) return undefined;
  if (command === "config" || command === "filter-branch" || command === "bisect" || command === "submodule")
    return command === "config" ? "configuration of git can name programs to run" : undefined;
  return args.some(
    ({ text }) => runs.test(text) && !(text === "-u" && (command === "push" || command === "add")),
  ) && command !== "commit"
    ? "an option of git can name programs to run"
    : undefined;
}

/** `e` starts programs and `w` writes files; only a plain substitution or print is let through. */
function sedCode(args: readonly Argument[]): string | undefined {
  const script = args.find(({ text }) => !text.startsWith("-"));
  if (args.some(({ text }) => /^(-[a-zA-Z]*[ef]|--expression|--file)/.test(text)))
    return "its script can start others";
  if (script === undefined) return undefined;
  const harmless = /^([0-9,$]*[pdq]|s([/|#,])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2[gip0-9]*)$/;
  return script.fixed && harmless.test(script.text) ? undefined : "its script can start others";
}
