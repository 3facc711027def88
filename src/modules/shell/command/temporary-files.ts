import { posix } from "node:path";
import { isInside, temporaryPlaces } from "../../../host/index.ts";
import { runsProjectProgram } from "../project-code.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import type { CommandPlace } from "./syntax/place.ts";

/*
 * In a sandbox `/tmp` and `/var/tmp` are private folders of the session. What a line does there touches nothing else, as long as no
 * link leads out of them, and nothing that the call may change lies below the path.
 */

/** A path without patterns, steps upwards and anything that a shell would expand. */
const plainPath = /^\/[\w@%+=:,./ -]+$/;

/** Whether a path of a line is one of the session's own temporary files. */
export function isTemporary(path: string, place: CommandPlace): boolean {
  const { temporary, context } = place;
  if (temporary === undefined || !plainPath.test(path) || /(^|\/)\.\.(\/|$)/.test(path)) return false;
  const full = posix.normalize(path).replace(/\/$/, "");
  if (!temporaryPlaces.some((one) => full.startsWith(`${one}/`)) || !temporary.isOwn(full)) return false;
  return !(context.allowedPaths ?? []).some((one) => isInside(full, one) || isInside(one, full));
}

/** Whether all that a pattern of a temporary folder may stand for, without following links, is the session's own. */
function isTemporaryPattern(path: string, place: CommandPlace): boolean {
  const folder = path.replace(/\/[\w.-]*\*[\w.-]*$/, "");
  if (folder === path || place.temporary === undefined) return false;
  if (!temporaryPlaces.includes(folder)) return isTemporary(folder, place);
  return !(place.context.allowedPaths ?? []).some((one) => isInside(folder, one) || isInside(one, folder));
}

/** Whether a file that a line names is one of the session's own, and the line can't make it lead elsewhere. */
export function isTemporaryUse(
  { kind, path, home }: FileUse,
  analysis: CommandAnalysis,
  place: CommandPlace,
): boolean {
  if (home || kind === "matches" || kind === "each") return false;
  const lists =
    kind === "names" && place.temporary !== undefined && temporaryPlaces.includes(path.replace(/\/$/, ""));
  return (lists || isTemporary(path, place)) && makesNoLinks(analysis);
}

/** The files that a part copies, where it is a copy into a temporary folder. */
export function copiedFiles(part: CommandPart): readonly FileUse[] {
  const [program, ...args] = part.words;
  if (program !== "cp") return [];
  const sources = args.filter((arg) => !plainCopy.test(arg)).slice(0, -1);
  return sources.map((path) => ({ kind: "read", path, home: false }));
}

/** Whether a part changes nothing but the session's own temporary files. */
export function changesTemporary(part: CommandPart, analysis: CommandAnalysis, place: CommandPlace): boolean {
  if (place.temporary === undefined || part.opaque !== undefined || !makesNoLinks(analysis)) return false;
  const [program = "", ...args] = part.words;
  if (place.programs.find(program, [place.cwd])?.isOfProject === true) return false;
  const options = Object.hasOwn(changers, program) ? changers[program] : undefined;
  if (options === undefined) return false;
  const operands = args.filter((arg) => !options.test(arg));
  if (operands.length === 0) return false;
  if (program === "cp") {
    const sources = operands.slice(0, -1);
    const target = operands.at(-1) ?? "";
    const isTarget = (source: string) =>
      isTemporary(target, place) || isTemporary(posix.join(target, posix.basename(source)), place);
    return (
      sources.length > 0 && sources.every((path) => /^[\w./][\w@%+=:,./ -]*$/.test(path) && isTarget(path))
    );
  }
  const removes = program === "rm" || program === "rmdir";
  return operands.every((path) => isTemporary(path, place) || (removes && isTemporaryPattern(path, place)));
}

/** Options with which `cp` copies what is in files, links among them. */
const plainCopy = /^-[fvnup]+$/;

/** Programs that make no links, and the options with which each changes only the files that it is given. */
const changers: Readonly<Record<string, RegExp>> = {
  rm: /^(-[rRfvidI]+|--(recursive|force|verbose|dir|one-file-system|interactive(=\w+)?))$/,
  rmdir: /^(-[pv]+|--(parents|verbose|ignore-fail-on-non-empty))$/,
  mkdir: /^(-[pv]+|--(parents|verbose))$/,
  touch: /^(-[acm]+|--no-create)$/,
  tee: /^(-[aip]+|--append)$/,
  cp: plainCopy,
};

/**
 * Whether no part of the line puts a link into a temporary folder for another one to go by. The project's own programs may,
 * but whoever lets them run lets them change all that the link could lead to.
 */
function makesNoLinks({ parts }: CommandAnalysis): boolean {
  return parts.every(
    ({ readOnly, opaque, words, words: [program = "", ...args] }) =>
      opaque === undefined &&
      (readOnly ||
        (program === "cp"
          ? args.every((arg) => !arg.startsWith("-") || plainCopy.test(arg))
          : Object.hasOwn(changers, program)) ||
        runsProjectProgram(words)),
  );
}
