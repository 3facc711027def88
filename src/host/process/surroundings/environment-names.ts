import { compileGlob } from "../../../base/index.ts";

export type NameTest = (name: string) => boolean;

/** On Windows the case of a name means nothing. */
export function compileNames(patterns: readonly string[]): NameTest {
  const fold = process.platform === "win32" ? (name: string) => name.toUpperCase() : (name: string) => name;
  const [wild, exact] = [patterns.filter(hasWildcard), patterns.filter((pattern) => !hasWildcard(pattern))];
  const names = new Set(exact.map(fold));
  const tests = wild.map((pattern) => compileGlob(fold(pattern)));
  return (name) => names.has(fold(name)) || tests.some((matches) => matches(fold(name)));
}

function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** What processes get of ours; the second line is what no program starts without on Windows. */
export const passedNames: readonly string[] = [
  "PATH HOME LANG LC_* TERM TZ TMPDIR USER SHELL",
  "SystemRoot SystemDrive ComSpec PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA",
].flatMap(words);

export const readableNames: readonly string[] = words("PATH HOME LANG LC_* TZ USER SHELL PWD TERM");

const fixedNames: readonly string[] = [
  "PATH HOME SHELL HAFT_* LD_* DYLD_* GCONV_PATH LOCPATH MALLOC_* GLIBC_TUNABLES",
  "RIPGREP_CONFIG_PATH POSIXLY_CORRECT MAGIC",
  "BASH_ENV ENV IFS SHELLOPTS BASHOPTS BASH_FUNC_* BASH_LOADABLES_PATH PS4 PROMPT_COMMAND CDPATH",
  "NODE_OPTIONS NODE_PATH NODE_REPL_* npm_config_* NPM_CONFIG_* PYTHON* PERL5* PERLLIB RUBYOPT RUBYLIB",
  "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH PHPRC PHP_INI_SCAN_DIR LUA_INIT*",
  "CLOUDSDK_* RUSTUP_* GOTOOLCHAIN ASDF_* MISE_* PYENV_* RBENV_* NODENV_* VOLTA_* GROFF_* OPENSSL_* VIM* EMACS*",
  "EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE *_ASKPASS RUSTC* CARGO_* XDG_CONFIG_*",
].flatMap(words);
/** The variables of git that can't make it run something: only who made a commit and when. */
const gitNames = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/;
const isFixed = compileNames(fixedNames);

/**
 * Whether a variable makes a later, harmless command run another program or other code, or look elsewhere for its
 * own: whoever approves the command would not see it.
 */
export function decidesWhatRuns(name: string): boolean {
  return isFixed(name) || (name.toUpperCase().startsWith("GIT_") && !gitNames.test(name));
}

const secretName =
  /KEY(?!BOARD|MAP|RING)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|(^|_)(PASS|PWD|AUTH|DSN)$/i;
/** These hold the path of a folder. */
const folderNames = /^(OLD)?PWD$/i;

/** Whether a variable of this name may hold a secret, as `API_TOKEN` and `DB_PASS` do; `PWD`, a folder, does not. Case does not matter. */
export function readsLikeSecret(name: string): boolean {
  return secretName.test(name) && !folderNames.test(name);
}

function words(line: string): string[] {
  return line.split(" ");
}
