import { optionTable, readOptions } from "../syntax/options.ts";
import type { Argument } from "../syntax/word.ts";

/**
 * Programs that answer `--version` by themselves, wherever they are started. Others look first for what the project says:
 * a toolchain (`cargo`, `go`), another copy (`yarn`, `pnpm`, `gradle`), plug-ins (`pytest`, `eslint`).
 */
const versions: ReadonlySet<string> = new Set(
  (
    "python node nodejs ruby perl php lua java javac gcc cc g++ c++ clang clang++ make gmake cmake ninja deno npm git docker podman " +
    "bash pip curl wget tar gzip rsync ssh jq rg fd grep sed gawk find ls cat diff sort openssl gpg sqlite3 psql mysql redis-cli " +
    "kubectl helm gh aws gcloud az ffmpeg magick convert pandoc uname rustfmt gofmt shellcheck vim nvim emacs nano less man"
  ).split(" "),
);

/** Programs that answer `--help` by themselves, whatever they do otherwise. */
const helps: ReadonlySet<string> = new Set(
  (
    "cp mv rm ln chmod chown chgrp mkdir rmdir touch tar gzip gunzip bzip2 xz zip unzip curl wget sed awk gawk xargs find grep rg jq tee " +
    "dd install truncate patch rsync split ls cat head tail sort uniq wc cut tr diff du df stat date env nice timeout kill ps top make " +
    "gcc clang cmake python node perl ruby npm pip docker podman git bash openssl gpg kubectl helm gh"
  ).split(" "),
);

/** Whether all that a program does with these arguments is to say what it is. */
export function saysOnly(name: string, args: readonly Argument[]): boolean {
  const [word] = args;
  if (args.length !== 1 || word?.fixed !== true) return false;
  const plain = name.replace(/(?<=[a-z+])-?\d[\d.]*$/, "");
  if (word.text === "--help") return helps.has(plain);
  if (word.text === "--version") return versions.has(plain);
  if (word.text === "-v") return plain === "npm";
  return /^-(V|version)$/.test(word.text) && (plain === "python" || plain === "java" || plain === "javac");
}

/**
 * Texts without escapes, and sums that no interpreter fails at: Python looks for the modules that print a fault in the
 * working folder first.
 */
const amount = String.raw`(0|[1-9]\d{0,14})(\.\d{1,14})?`;
const printed = String.raw` *('[ -&(-\[\]-~]*'|"[ !#-\[\]-~]*"|-?${amount}( *[+*-] *${amount}){0,16}) *`;
const printedList = `${printed}(,${printed})*`;
const prints: Readonly<Record<string, RegExp>> = {
  python: new RegExp(String.raw`^-c\n\s*print\(${printedList}\)\s*;?\s*$`),
  node: new RegExp(String.raw`^(-e\n\s*console\.log\(${printedList}\)|-p\n\s*${printed})\s*;?\s*$`),
};

/**
 * Whether the code that an interpreter is given on its line prints fixed texts and sums, and does nothing else. Where Python
 * can't write them (`> /dev/full`), its fault may still run a `traceback.py` of the working folder: it is to be kept in.
 */
export function printsOnly(name: string, args: readonly Argument[]): boolean {
  const interpreter = /^(python|node)[\d.]*$/.exec(name)?.[1];
  if (interpreter === undefined || args.length !== 2 || !args.every(({ fixed }) => fixed)) return false;
  const code = args.map(({ text }) => text).join("\n");
  // A power may be a number that no machine can hold.
  return !code.includes("**") && prints[interpreter]?.test(code) === true;
}

const rmOptions =
  /^(-[rRfvidI]+|--(recursive|force|verbose|dir|one-file-system|interactive(=(always|once|never))?))$/;

/**
 * Whether `rm` asks at its terminal before it deletes anything. Commands have none, and no answer is none. Options behind
 * a file are files for the `rm` of other systems, and for this one with `POSIXLY_CORRECT`.
 */
export function asksFirst(args: readonly Argument[]): boolean {
  let asks: "always" | "once" | "never" = "never";
  let recursive = false;
  let hasFile = false;
  for (const { text, fixed } of args) {
    if (!fixed) return false;
    if (!text.startsWith("-")) {
      hasFile = true;
      continue;
    }
    if (hasFile) return false;
    if (!rmOptions.test(text)) return false;
    const [, way] = /^--interactive(?:=(\w+))?$/.exec(text) ?? [];
    if (text.startsWith("--interactive")) asks = (way ?? "always") as typeof asks;
    else if (text === "--force") asks = "never";
    else if (text === "--recursive") recursive = true;
    if (text.startsWith("--")) continue;
    recursive ||= /[rR]/.test(text);
    const [letter] = /[fiI](?=[^fiI]*$)/.exec(text) ?? [];
    if (letter !== undefined) asks = letter === "i" ? "always" : letter === "I" ? "once" : "never";
  }
  return asks === "always" || (asks === "once" && recursive);
}

const pipList = optionTable(
  "ulv",
  "local user pre not-required editable include-editable exclude-editable verbose disable-pip-version-check no-color",
  "format exclude",
);
const pipShow = optionTable("fv", "files verbose disable-pip-version-check no-color", "");

/** Not `--outdated`, which asks an index, nor `--python`, `--path` and `--log`, nor `freeze`, which starts git. */
export function pipLooks([command, ...args]: readonly Argument[]): boolean {
  if (command?.fixed !== true) return false;
  if (command.text === "check") return args.length === 0;
  const table = command.text === "list" ? pipList : command.text === "show" ? pipShow : undefined;
  const read = table && readOptions(args, table, { stopAtOperand: false });
  if (read === undefined) return false;
  return command.text === "list"
    ? read.operands.length === 0 && !read.given.has("u")
    : read.operands.every(isPlainName);
}

const manOptions = optionTable("akfw", "all apropos whatis where path location", "s");

/** A page of the manual by its name; not by a path, nor with a pager (`-P`), a browser (`-H`) or another configuration. */
export function manLooks(args: readonly Argument[]): boolean {
  const read = readOptions(args, manOptions, { stopAtOperand: false });
  return read !== undefined && read.operands.length > 0 && read.operands.every(isPlainName);
}

function isPlainName({ fixed, text }: Argument): boolean {
  return fixed && /^[A-Za-z0-9_][A-Za-z0-9_.+:-]*$/.test(text);
}

const npmOptions = optionTable(
  "agl",
  "all json long parseable global omit-optional prod production dev link package-lock-only no-unicode unicode",
  "depth omit include",
);

/** What npm says of a project's packages, from files alone; `.npmrc` of the project may have it do more. */
export function npmLooks([command, ...args]: readonly Argument[]): boolean {
  if (command?.fixed !== true) return false;
  const read = readOptions(args, npmOptions, { stopAtOperand: false });
  if (read === undefined || !read.operands.every(({ fixed }) => fixed)) return false;
  const [first] = read.operands;
  switch (command.text) {
    case "ls":
    case "list":
    case "ll":
    case "la":
    case "explain":
    case "why":
      return true;
    case "root":
    case "prefix":
      return first === undefined;
    case "pkg":
      return first?.text === "get";
    default:
      return false;
  }
}
