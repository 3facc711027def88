import type { GitShows } from "../analysis.ts";
import { isGuarded } from "../named-files.ts";
import type { Argument } from "../syntax/word.ts";
import { type GitLine, readGit } from "./git-routine.ts";

const patches = "p u U v L patch unified binary word-diff patch-with-stat check verbose".split(" ");
const summaries =
  "s no-patch stat numstat shortstat summary name-only name-status raw quiet compact-summary dirstat".split(
    " ",
  );
/** Other commits than are named; lines of a file. */
const wider = "all branches tags remotes L follow".split(" ");

/** The last commit and the one before: what git knows of now is as good as what they hold. */
const recent = /^(HEAD|@)([~^]1?)?$/;
/** A file as a commit or the index has it: by a name that can be looked at. */
const fileOfCommit = /^([^:]*|:[0-3]):([\p{L}\p{N}_.][^:]*)$/u;

const whole: GitShows = { files: [] };
const byId =
  "git may show a file by its id or from long ago, which nobody can tell; use log with files after --, or name a file as HEAD:path";

/**
 * The files whose content git would show; undefined where it shows none but those that it is given by name, a
 * phrase where that can't be told. What is kept under an id, in an old commit too, may be a secret that git
 * once took in.
 */
export function shownBy(args: readonly Argument[]): GitShows | string | undefined {
  const line = readGit(args);
  if (line === undefined) return undefined;
  const { command, given, operands } = line;
  const shows = patches.some((name) => given.has(name));
  const summarised = summaries.some((name) => given.has(name));
  switch (command) {
    case "status":
    case "commit":
    case "add":
      return shows ? whole : undefined;
    case "stash":
      if (!shows) return undefined;
      return operands[0] === "show" ? whole : byId;
    case "log":
      return shows ? shownByLog(line) : undefined;
    case "whatchanged":
      return shows || !summarised ? shownByLog(line) : undefined;
    case "show": {
      const content = shownByRevisions(line);
      return typeof content === "object" && summarised && !shows ? undefined : content;
    }
    case "diff":
      return shows || !summarised ? shownByRevisions(line) : undefined;
    case "grep": {
      const files = [...operands.slice(given.has("e") ? 0 : 1), ...(line.paths ?? [])];
      return files.length === 0 ? whole : { files, orFolders: true };
    }
    case "for-each-ref":
    case "tag":
    case "branch":
      return String(given.get("format") ?? "").includes("raw") ? byId : undefined;
    default:
      return undefined;
  }
}

/** An object that is no commit, it leaves out. A file that it follows may have had another name. */
function shownByLog({ given, varied, operands, paths }: GitLine): GitShows | string {
  const lines = given.get("L");
  if (given.has("follow")) return byId;
  if (typeof lines === "string") {
    const file = lines.slice(lines.lastIndexOf(":") + 1);
    return varied.has("L") || isGuarded(file) ? byId : { files: [file] };
  }
  const files = paths ?? operands.filter((operand) => !recent.test(operand));
  return files.length > 0 ? { files } : byId;
}

/** An object that is a file is shown, whatever paths are named beside it. */
function shownByRevisions({ command, given, operands, paths }: GitLine): GitShows | string | undefined {
  if (wider.some((name) => given.has(name))) return byId;
  const unknown = operands.filter((one) => !recent.test(one) && !fileOfCommit.test(one));
  if (paths !== undefined && unknown.length > 0) return byId;
  if (command === "show") {
    if (unknown.length > 0) return byId;
    const byName = operands.length > 0 && operands.every((one) => fileOfCommit.test(one));
    return byName ? undefined : { files: paths ?? [] };
  }
  // A folder as a commit has it would be compared with all there is.
  const files = [...unknown, ...(paths ?? [])];
  for (const one of operands) {
    const [, revision, path] = fileOfCommit.exec(one) ?? [];
    if (path === undefined) continue;
    if (revision !== "" && !/^:[0-3]$/.test(revision ?? "") && !recent.test(revision ?? "")) return byId;
    files.push(path);
  }
  return files.length > 0 ? { files } : whole;
}
