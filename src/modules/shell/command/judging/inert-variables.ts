import { decidesWhatRuns } from "../../../../host/index.ts";
import { gitOnlyLooks } from "../programs/git-routine.ts";
import type { Argument } from "../syntax/word.ts";
import { readOnlyUses } from "./read-only.ts";

/** Words in the names of variables by which programs are configured. */
const telling =
  /PATH|OPT|FLAGS|CONF|HOME|DIR|RC$|CMD|COMMAND|PAGER|EDIT|SHELL|PROXY|TMP|TEMP|HOST|URL|LIB|PLUGIN|HOOK|FILE|PROG|EXEC|ENV|DEBUG|TRACE|LOG|INIT|START|ARGS|ROOT|PREFIX|SOCK|CACHE|CERT|PROFILE|STYLE|SIZE|COLOR|PROMPT|IGNORE|FORMAT|STACK|TYPE$/;

/** What the names of variables begin with that a shell, a library or a program that only reads knows. */
const known =
  /^(_|BASH|COMP|COPROC|HIST|EPOCH|FUNC|GLOB|GROUPS|IFS|LINENO|MAIL|MAPFILE|OLDPWD|OPT|PIPE|POSIX|PPID|PS\d|PWD|RANDOM|READLINE|REPLY|SECONDS|SRANDOM|TIME|TMOUT|E?UID|CHILD|FC|LC|LANG|TZ|TERM|LINES|COLUMNS|DISPLAY|LD|DYLD|GCONV|MALLOC|GLIBC|RES_|NLS|XDG|USER|GIT|GREP|LS|TREE|RIPGREP|RG|JQ|LESS|MAN|BAT|DIFF|SORT|STAT|DF|DU|BLOCK|AWK|SED|NODE|NPM|PIP|PYTHON|PERL|RUBY|JAVA)/;

/**
 * Programs of which all variables are in the tables above, or in those of the host. Others have variables of their own that
 * name a program (`CLOUDSDK_PYTHON=./x gcloud --version`).
 */
const plainPrograms: ReadonlySet<string> = new Set(
  (
    "true false : echo printf pwd test [ cd exit type which command basename dirname seq expr uname whoami id nproc date " +
    "cat tac nl head tail wc sort uniq cut tr paste comm join fold rev ls stat readlink realpath du df tree " +
    "grep rg jq sed awk gawk mawk find diff cmp od md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum base32 base64"
  ).split(" "),
);

/** Whether no program that only reads, nor the shell itself, does anything else because of this variable. */
export function isInert(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    /^[A-Z]\w*$/.test(upper) &&
    !decidesWhatRuns(name) &&
    !decidesWhatRuns(upper) &&
    !telling.test(upper) &&
    !known.test(upper)
  );
}

/** Whether variables of these names change nothing of a command, since it only looks and none of its programs reads them. */
export function areInert(names: readonly string[], [program, ...args]: readonly Argument[]): boolean {
  if (program?.fixed !== true || !names.every(isInert)) return false;
  return program.text === "git"
    ? gitOnlyLooks(args) || readOnlyUses("git", args) !== undefined
    : plainPrograms.has(program.text) && readOnlyUses(program.text, args) !== undefined;
}
