import { optionTable, readOptions } from "../syntax/options.ts";
import type { Argument } from "../syntax/word.ts";
import { opaqueWrapper, type Unwrapped } from "./wrappers.ts";

const shells = new Set(["bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "rbash"]);
const options = optionTable("ceuxvnlfshBaCE", "norc noprofile login restricted verbose", "o O");

/** They read a script as it is read here; the others do only where nothing of bash's own is in it, and these not even then. */
const likeBash = new Set(["bash", "rbash"]);
const ownGrammar = new Set(["zsh", "ksh", "mksh"]);
const onlyBash =
  /\$['"[]|\[\[|(?<!\$)\(\(|&>|\|&|>&(?![\d-])|<<<|[<>]\(|[?*+@!]\(|\+=|=\(|\w\[|\b(function|coproc|select|time)\b/;

export function isShell(name: string): boolean {
  return shells.has(name);
}

/** What `unwrapShell` says; opaque where this shell may read a script in another way. */
export function unwrapKnownShell(
  name: string,
  args: readonly Argument[],
  stdin: string | undefined,
): Unwrapped {
  const unwrapped = unwrapShell(args, stdin);
  const isOther = unwrapped.scripts.some((script) => ownGrammar.has(name) || onlyBash.test(script));
  return likeBash.has(name) || !isOther || unwrapped.opaque !== undefined
    ? unwrapped
    : { ...unwrapped, opaque: `${name} reads its script in a way of its own` };
}

/**
 * What a shell would run: the text after `-c`, or what it is given as its input. A script in a file is not looked
 * into; the shell with it is a part like any program.
 */
function unwrapShell(args: readonly Argument[], stdin: string | undefined): Unwrapped {
  const read = readOptions(args, options, { stopAtOperand: true });
  if (read === undefined) return opaqueWrapper("an option of the shell is not known");
  const option = read.given.get("o");
  const isUsual = option === undefined || (option === "pipefail" && !read.varied.has("o"));
  // Options may also begin with "+", and a "-" ends them.
  const begins = read.operands[0]?.text ?? "";
  if (read.given.has("O") || !isUsual || begins === "-" || begins.startsWith("+")) {
    return opaqueWrapper("an option of the shell is not known");
  }
  const [first] = read.operands;
  const known: Unwrapped = { commands: [], scripts: [], transparent: true };
  if (read.given.has("c")) {
    return first?.fixed === true
      ? { ...known, scripts: [first.text] }
      : opaqueWrapper("its script is not fixed");
  }
  if (first !== undefined && !read.given.has("s")) {
    const special = first.text === "-" || first.text.startsWith("/dev/");
    return first.fixed && !special
      ? { ...known, transparent: false }
      : opaqueWrapper("its script is not known before it runs");
  }
  return stdin === undefined ? opaqueWrapper("it runs what it reads") : { ...known, scripts: [stdin] };
}
