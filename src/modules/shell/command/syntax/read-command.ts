import type { Command, HereDoc, Word } from "unbash";
import { areInert, isInert } from "../judging/inert-variables.ts";
import { readOnlyUses } from "../judging/read-only.ts";
import { routineTerms } from "../judging/routine.ts";
import { isShell, unwrapKnownShell } from "../programs/shells.ts";
import { findUnwrap, type Unwrapped } from "../programs/wrappers.ts";
import type { Surroundings } from "../surroundings.ts";
import { changesLooks, changesPrograms } from "./evaluation.ts";
import { inlineCode } from "./inline-code.ts";
import { type Argument, quoteAll, readAssignment, readWord, unknownArgument } from "./word.ts";

const deepestScript = 16;
const mostWrappers = 32;

/** One simple command, and all that it starts in turn. */
export function readCommand(command: Command, around: Surroundings): void {
  const { collector, source } = around;
  const assignments = command.prefix.filter((item) => item.type === "Assignment");
  const words = command.args.map((word) =>
    word.type === "Word" ? readWord(word, around.values) : readAssignment(word),
  );
  if (command.name === undefined) {
    for (const { name, text } of assignments) {
      if (changesPrograms(name) && !isInert(name))
        collector.addOpaque(text, "it sets a variable that may change what programs do");
    }
    return;
  }
  const all = [readWord(command.name, around.values), ...words];
  const telling = assignments.filter(({ name }) => !changesLooks(name));
  if (
    telling.length > 0 &&
    !areInert(
      telling.map(({ name }) => name),
      all,
    )
  ) {
    const text = [...assignments.map((assignment) => unknownArgument(assignment.text)), ...all];
    collector.addPart(text, {
      opaque: "variables set for it may change what it does",
      aliases: listAliases(all),
    });
  }
  const fed = around.fed || isFed(command.redirects);
  readWords(all, { ...around, source, fed }, isFed(command.redirects) ? readStdin(command) : around.said);
}

/** Whether a program may read what it shall do: `0>&63` gives it the output of a coprocess. */
export function isFed(redirects: Command["redirects"]): boolean {
  return redirects.some(
    ({ operator, descriptor }) =>
      operator.startsWith("<") || (descriptor?.type === "FileDescriptor" && descriptor.value === 0),
  );
}

/** A here-document or here-string, where its text is fixed. */
function readStdin({ redirects }: Command): string | undefined {
  let stdin: string | undefined;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    const isInput =
      descriptor === undefined
        ? redirect.operator.startsWith("<")
        : descriptor.type === "FileDescriptor" && descriptor.value === 0;
    if (!isInput) continue;
    if (redirect.type === "HereDoc") {
      const { parts, text } = redirect.body;
      const isFixed = parts === undefined || parts.every(({ type }) => type === "Literal");
      stdin = isFixed ? textOfHereDoc(redirect, text) : undefined;
    } else if (redirect.type === "HereString") stdin = fixedText(redirect.target);
    else stdin = undefined;
  }
  return stdin;
}

/**
 * What a program reads of a here-document without expansions: `<<-` takes the tabs in front of lines away, and where the
 * delimiter is not quoted, backslashes are read. Undefined where both meet in a line that goes on.
 */
function textOfHereDoc({ operator, delimiter }: HereDoc, written: string): string | undefined {
  const text = operator === "<<-" ? written.replaceAll(/^\t+/gm, "") : written;
  if (delimiter?.quoted === true) return text;
  if (operator === "<<-" && written.includes("\\\n")) return undefined;
  return text.replaceAll(/\\([\\$`\n])/g, (_, char: string) => (char === "\n" ? "" : char));
}

function fixedText(word: Word | undefined): string | undefined {
  const read = word === undefined ? undefined : readWord(word);
  return read?.fixed === true && read.home !== true ? read.text : undefined;
}

/** Some shells take them in places where others see a program's name. */
const reserved = new Set(
  "! { } [[ ]] case coproc do done elif else esac fi for function if in select then until while".split(" "),
);
const ownFolders = /^(\/usr)?\/s?bin\/[^/]+$/;

function readWords(words: readonly Argument[], around: Surroundings, stdin?: string): void {
  const { collector } = around;
  const [first, ...args] = words;
  if (first === undefined) return;
  if (!first.fixed || first.text === "" || first.home === true) {
    collector.addPart(words, { opaque: "which program it starts is not fixed" });
    return;
  }
  if (reserved.has(first.text)) {
    collector.addPart(words, { opaque: "a word of the shell's own stands where a program should" });
    return;
  }
  if (around.wrapped >= mostWrappers) {
    collector.addPart(words, { opaque: "too many programs start one another" });
    return;
  }
  collector.addProgram(first.text);
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  const trusted = !first.text.includes("/") || ownFolders.test(first.text);
  const unwrapped = isShell(name) ? unwrapKnownShell(name, args, stdin) : findUnwrap(name)?.(args, stdin);
  if (unwrapped !== undefined) {
    readUnwrapped(unwrapped, words, around);
    if (unwrapped.transparent && unwrapped.opaque === undefined && trusted) return;
  }
  const unreadable = unwrapped?.opaque ?? movedCode(name, args, around);
  const uses =
    trusted && unreadable === undefined ? readOnlyUses(name, ownArguments(name, args), around) : undefined;
  if (uses !== undefined) {
    collector.addPart(words, { uses });
    return;
  }
  const opaque = unreadable ?? inlineCode(name, args) ?? unfixed(name, args);
  const aliases = listAliases(words);
  if (opaque !== undefined) {
    collector.addPart(words, { aliases, opaque });
    return;
  }
  const terms = trusted ? routineTerms(name, args, around) : `${name} is started by its path`;
  collector.addPart(words, {
    aliases,
    ...(typeof terms === "string" ? { against: terms } : { routine: terms }),
  });
}

/** An argument that only the shell will know may be an option, too. */
function unfixed(name: string, args: readonly Argument[]): string | undefined {
  if (
    name === "export" ||
    name === "declare" ||
    name === "typeset" ||
    name === "local" ||
    name === "readonly"
  )
    return "it sets variables that may change what programs do";
  if (carriers.has(name) && isLong(args)) return "its line is too long to find the command in it";
  return args.some(
    ({ fixed, glob, each, text }) => !fixed && (glob !== true || each === true || /^[*?[+@!-]/.test(text)),
  )
    ? "an argument of it is not fixed"
    : undefined;
}

/** The folder after a `cd` must be known for the paths that follow: says why it is not. */
function movedCode(
  name: string,
  args: readonly Argument[],
  { collector, unordered }: Surroundings,
): string | undefined {
  if (name === "pushd" || name === "popd") return "the folder it leads to is not fixed";
  if (name !== "cd") return undefined;
  const [folder] = args;
  const known = args.length === 1 && folder?.fixed === true && !/^[-+]/.test(folder.text) && !unordered;
  if (!known || folder.text === "") return "the folder it leads to is not fixed";
  if (!collector.enterFolder(folder)) return "too many changes of the folder";
  collector.addFile("names", folder.text, folder.home === true);
  return undefined;
}

/** Without the commands that `find` starts: they are parts of their own. */
function ownArguments(name: string, args: readonly Argument[]): readonly Argument[] {
  if (name !== "find") return args;
  const own: Argument[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Argument;
    if (!/^-(exec|execdir|ok|okdir)$/.test(word.text)) {
      own.push(word);
      continue;
    }
    for (at++; at < args.length; at++) {
      const { text } = args[at] as Argument;
      if (text === ";" || (text === "+" && args[at - 1]?.text === "{}")) break;
    }
  }
  return own;
}

function readUnwrapped(unwrapped: Unwrapped, words: readonly Argument[], around: Surroundings): void {
  const inner = { ...around, wrapped: around.wrapped + 1, unordered: true };
  for (const command of unwrapped.commands) readWords(command, inner);
  for (const script of unwrapped.scripts) {
    if (around.depth >= deepestScript)
      around.collector.addPart(words, { opaque: "too many shells start one another" });
    else around.enter(script, { ...inner, depth: around.depth + 1 });
  }
}

/** Programs that start what stands on their line, in ways too many to read: every tail of the line may be it. */
const carriers = new Set(
  "npx npm pnpm yarn bunx bun docker podman nerdctl kubectl ssh unshare nsenter strace ltrace valgrind systemd-run bwrap firejail prlimit numactl fakeroot xvfb-run dbus-run-session proxychains torsocks runuser pkexec entr uv poetry pipenv rye hatch mise asdf direnv nix nix-shell conda env-cmd cross-env dotenv".split(
    " ",
  ),
);
const mostTails = 64;
const mostCarriedChars = 4000;

/** Other texts by which a rule may know the same command. */
function listAliases(words: readonly Argument[]): string[] {
  const [first, ...args] = words;
  if (first === undefined) return [];
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  const aliases = name === first.text ? [] : [quoteAll([{ text: name, fixed: true }, ...args])];
  if (first.fixed && name === "git") aliases.push(...gitAliases(args));
  if (carriers.has(name) && !isLong(args)) {
    for (let at = 0; at < args.length; at++) aliases.push(quoteAll(args.slice(at)));
  }
  return aliases;
}

function isLong(args: readonly Argument[]): boolean {
  return args.length > mostTails || args.reduce((sum, { text }) => sum + text.length, 0) > mostCarriedChars;
}

/** The command without git's own options before it: `git -C folder push` is `git push`. */
function gitAliases(args: readonly Argument[]): string[] {
  let at = 0;
  while (args[at]?.text.startsWith("-") === true) at += /^-[Cc]$/.test(args[at]?.text ?? "") ? 2 : 1;
  return at === 0 || at >= args.length ? [] : [quoteAll([{ text: "git", fixed: true }, ...args.slice(at)])];
}
