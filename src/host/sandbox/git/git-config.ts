/** One setting of a git configuration file, or a line that is none. */
export interface GitSetting {
  /**
   * The name in small letters, without what a section is of: `remote.url`. Empty: it can't be read here, and
   * git may read anything in it.
   */
  readonly name: string;
  readonly value: string;
  /** Its bytes, line breaks and the heading of its section left out. */
  readonly raw: string;
  /** The heading it stands under, as written. */
  readonly heading: string;
}

const heading = /^\s*\[([a-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?\]\s*(?:[#;].*)?$/i;
const setting = /^\s*([a-z][a-z0-9-]*)\s*(?:=(.*))?$/is;
const nothing = /^\s*(?:[#;].*)?$/;

/**
 * Reads less than git does, and nothing otherwise: whatever is written in a way that git itself never writes comes out as
 * a setting without a name.
 */
export function parseGitConfig(text: string): GitSetting[] {
  const found: GitSetting[] = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  let section = { name: "", line: "" };
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at] ?? "";
    if (nothing.test(line)) continue;
    const head = heading.exec(line);
    if (head !== null) {
      section = { name: (head[1] ?? "").toLowerCase().split(".")[0] ?? "", line };
      continue;
    }
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(line) && at + 1 < lines.length) line += `\n${lines[++at] ?? ""}`;
    found.push({ ...readLine(line, section.name), raw: line, heading: section.line });
    // What comes next git may count to a section that was opened in here.
    if (line.includes("[") && !setting.test(line)) section = { name: "", line: "" };
  }
  return found;
}

function readLine(line: string, section: string): { name: string; value: string } {
  const match = setting.exec(line);
  const value = match?.[2]?.trim() ?? "";
  // In a comment, no line is continued.
  const isOdd = line.includes("\n") && /[#;]/.test(line);
  return match === null || section === "" || isOdd
    ? { name: "", value: "" }
    : { name: `${section}.${(match[1] ?? "").toLowerCase()}`, value: unquote(value) };
}

function unquote(value: string): string {
  let found = "";
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else if (char === "\\") {
      const next = value[++at] ?? "";
      found += { n: "\n", t: "\t", b: "\b", "\n": "" }[next] ?? next;
    } else found += char;
  }
  return isQuoted ? found : found.trimEnd();
}

/**
 * Settings by which git starts nothing, and writes nothing elsewhere. A list of those that do would be out of date with
 * git's next version; one that is missing here is taken for one that does.
 */
const harmless = new RegExp(
  `^(?:${[
    "(advice|color|column|index|feature|status|rerere|stash)\\.[a-z0-9-]+",
    "core\\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf)",
    "core\\.(quotepath|longpaths|sparsecheckout|sparsecheckoutcone|abbrev|untrackedcache|preloadindex|compression|trustctime)",
    "core\\.(bigfilethreshold|checkstat|sharedrepository|commentchar|whitespace|multipackindex|commitgraph)",
    "extensions\\.(objectformat|worktreeconfig|partialclone|preciousobjects|refstorage|noop)",
    "remote\\.(url|pushurl|fetch|push|mirror|prune|prunetags|tagopt|skipdefaultupdate|skipfetchall|promisor|partialclonefilter)",
    "branch\\.(remote|pushremote|merge|rebase|description|autosetupmerge|autosetuprebase|sort)",
    "(user|author|committer)\\.(name|email|signingkey|useconfigonly)",
    "submodule\\.(url|active|branch|ignore|shallow|fetchrecursesubmodules|recurse|fetchjobs|propagatebranches)",
    "(commit|tag|push)\\.gpgsign",
    "init\\.defaultbranch",
    "fetch\\.(prune|prunetags|parallel|writecommitgraph|recursesubmodules|unpacklimit|fsckobjects)",
    "pull\\.(rebase|ff|octopus|twohead)",
    "push\\.(default|autosetupremote|followtags|recursesubmodules)",
    "rebase\\.(autosquash|autostash|updaterefs|stat|missingcommitscheck|abbreviatecommands)",
    "merge\\.(conflictstyle|ff|log|renames|renamelimit|stat|autostash|directoryrenames|verbosity)",
    "diff\\.(renames|renamelimit|algorithm|noprefix|mnemonicprefix|colormoved|context|submodule|indentheuristic|ignoresubmodules)",
    "gc\\.(auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable|packrefs|writecommitgraph)",
    "maintenance\\.(auto|enabled)",
    "lfs\\.(repositoryformatversion|access|locksverify)",
    "(log|format|versionsort|i18n|http)\\.(date|decorate|abbrevcommit|suffix|commitencoding|logoutputencoding|postbuffer|version)",
  ].join("|")})$`,
);

/** Whether git may start something because of a setting, or read more settings elsewhere. */
export function mayRunCode({ name }: GitSetting): boolean {
  return !harmless.test(name);
}

/** What of a file is left without some of its settings. */
export function withoutSettings(settings: readonly GitSetting[], without: ReadonlySet<GitSetting>): string {
  let text = "";
  let last: string | undefined;
  for (const one of settings) {
    if (without.has(one)) continue;
    if (one.heading !== last) text += `${one.heading}\n`;
    last = one.heading;
    text += `${one.raw}\n`;
  }
  return text;
}
