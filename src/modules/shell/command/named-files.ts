import { posix } from "node:path";
import { codeGlobs, secretGlobs } from "../../../host/index.ts";

/** More texts than this may be names: nothing is known of the line then. */
const mostNames = 64;
const mostChars = 8000;
const longestName = 255;
const longestGlued = 64;

/** Places whose files start programs, or decide what may run. */
const guarded =
  /(^|\/)(\.git|\.hg|\.svn|\.bzr|\.jj|\.husky|\.haft|\.githooks|\.gitconfig|\.gitmodules|\.gitattributes|\.envrc)(\/|$)|(^|\/)haft\.config\.[^/]*$|(^|\/)\.(ba|z|k|c)?sh(rc|env)$|(^|\/)\.(bash_|z)?profile$/i;

/** Whether a path leads to code that others start unasked, to configuration of haft's, or to what may be a secret. */
export function isGuarded(path: string): boolean {
  return guarded.test(path) || secrets.test(path);
}

/** Whether a path leads to a file that some program of the owner's runs without being told to. */
export function runsByItself(path: string): boolean {
  return code.test(path);
}

/** Any of these globs, and all below what it finds. */
function anyBelow(globs: readonly string[]): RegExp {
  const inner = globs.map((glob) =>
    glob
      .slice("**/".length)
      .replace(/\/\*\*$/, "")
      .replace(/[.+^$()|[\]{}\\]/g, "\\$&")
      .replace(/\*/g, "[^/]*"),
  );
  return new RegExp(`(^|/)(${Array.from(new Set(inner)).join("|")})(/|$)`, "i");
}

const secrets = anyBelow(secretGlobs);
const code = anyBelow(codeGlobs);

/**
 * Every text in these words by which a program may know a file: the words, what stands after `=`, `:`, `,`, `@` or
 * glued to a letter of an option, and what looks like a path within. undefined where there are too many, or where a
 * word may be a pattern or code.
 */
export function namesIn(words: readonly string[]): string[] | undefined {
  const names = new Set<string>();
  const asOptions = !words.includes("--");
  let chars = 0;
  for (const word of words) {
    chars += word.length;
    if (chars > mostChars) return undefined;
    const address = webAddress.exec(word);
    if (address !== null) {
      for (const part of address[1]?.split(/[/?#&=]/) ?? []) addName(names, part);
    } else {
      if (codeSigns.test(word) || isPattern(word)) return undefined;
      addNames(names, word);
    }
    if (names.size > mostNames) return undefined;
  }
  return Array.from(names).filter((name) => !(asOptions && name.startsWith("-")));
}

/** Not `file:`; the names in it may still be those of files that are written. */
const webAddress =
  /^(?:https?|s3|gs|git|postgres(?:ql)?|mysql|redis|mongodb|amqp|ws|wss):\/\/([^\s'"`$\\<>;|]*)$/i;
/** What shells, databases and languages read as more than a word. */
const codeSigns = /[`\\<>;|&\n(){}'"$]/;

function isPattern(word: string): boolean {
  return word.split(/\s+/).some((piece) => piece !== "*" && /[*?]|\[.*\]|%[a-zA-Z0-9]/.test(piece));
}

function addNames(names: Set<string>, word: string): void {
  addName(names, word);
  for (const { index } of Array.from(word.matchAll(/[=:,@+\s]/g)).slice(0, longestGlued)) {
    addName(names, word.slice(index + 1));
  }
  for (const piece of word.split(/[=:,@+\s]+/)) addName(names, piece);
  for (const [piece] of word.matchAll(/[\p{L}\p{N}_./~+-]+/gu)) addName(names, piece);
  if (word.startsWith("-") && !word.startsWith("--")) {
    for (let at = 2; at < Math.min(word.length, longestGlued); at++) {
      const glued = word.slice(at);
      addName(names, glued);
      addName(names, glued.split(/[=:,@+\s]/, 1)[0] ?? "");
    }
  }
}

/** A name by itself is added too: some programs write to where they are what they take from a path. */
function addName(names: Set<string>, text: string): void {
  if (text === "" || text.split("/").some((part) => Buffer.byteLength(part) > longestName)) return;
  const plain = posix.normalize(text).replace(/(?<=.)\/$/, "");
  for (const name of [text, plain, plain.slice(plain.lastIndexOf("/") + 1)]) {
    if (name !== "") names.add(name);
  }
}
