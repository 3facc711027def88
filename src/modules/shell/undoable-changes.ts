import { posix } from "node:path";
import { blobHash, HostError, readIndex } from "../../host/index.ts";
import type { Effect } from "../../kernel/index.ts";
import type { CommandUndo } from "../files/index.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./command/analysis.ts";
import { isGuarded, runsByItself } from "./command/named-files.ts";
import { readGitChange } from "./command/programs/git-changes.ts";
import { toFileAccess } from "./command/secrets-below.ts";
import { resolvePaths } from "./command/syntax/paths.ts";
import type { CommandPlace } from "./command/syntax/place.ts";
import { quoteArgument } from "./command/syntax/word.ts";
import { isTemporary, isTemporaryUse } from "./command/temporary-files.ts";
import { pathsInArguments, runsProjectProgram } from "./project-code.ts";
import { judgeGitLine } from "./undoable-git.ts";
import type { UndoableLine } from "./undoable-line.ts";

/**
 * Marks effects that can be undone. Changing only files that the line names, and that git has or that do not exist yet,
 * is routine; running one of the project's own programs can be allowed permanently.
 */
export async function markUndoable(
  effects: readonly Effect[],
  { analysis, place, undo }: UndoableLine,
): Promise<readonly Effect[]> {
  if (undo === undefined || effects.every(({ kind, within }) => kind !== "run" || within)) return effects;
  const marker = new Marker(analysis, place, undo);
  const marked: Effect[] = [];
  for (const effect of effects) {
    const mark = await marker.judge(effect);
    const objection = typeof mark === "object" ? mark.objection : mark && undo.objection(place.context);
    if (mark === undefined) marked.push(marker.canBeUndone(effect) ? { ...effect, undoable: true } : effect);
    else if (objection !== undefined) marked.push(withObjection(effect, objection));
    else if (mark === "project") marked.push({ ...effect, project: true, undoable: true });
    else {
      const { asks: _asks, ...rest } = effect;
      marked.push({ ...rest, routine: true, undoable: true });
    }
  }
  return marked;
}

function withObjection(effect: Effect, objection: string): Effect {
  return {
    ...effect,
    asks: `${effect.asks ?? "it changes files"}, and it could not be undone: ${objection}`,
  };
}

/** Output files that nothing runs as code. */
const plainOutput = /\.(log|txt|out|err|csv|tap|md)$/i;
/** Programs that keep their own data in folders that snapshots leave out. */
const versionControl = /^(.*\/)?(git|hg|svn|jj|bzr|fossil)$/;
/** Programs that pass file names to other programs, so that the line does not show them. */
const feeding = /(^|[^\w-])(xargs|find|fd|parallel|source|eval|trap|alias)([^\w-]|$)/;
const mostChecked = 64;
const mostFileBytes = 4 * 1024 * 1024;
const mostIndexBytes = 32 * 1024 * 1024;

class Marker {
  readonly #analysis: CommandAnalysis;
  readonly #place: CommandPlace;
  readonly #undo: CommandUndo;
  readonly #parts: ReadonlyMap<string, CommandPart>;
  readonly #feeds: boolean;
  readonly #indexes = new Map<string, Promise<ReadonlyMap<string, string> | undefined>>();
  #git: ReturnType<typeof judgeGitLine> | undefined;
  #left = mostChecked;

  constructor(analysis: CommandAnalysis, place: CommandPlace, undo: CommandUndo) {
    this.#analysis = analysis;
    this.#place = place;
    this.#undo = undo;
    this.#parts = new Map(analysis.parts.map((part) => [part.text, part]));
    this.#feeds = analysis.parts.some(({ text, opaque }) => opaque !== undefined || feeding.test(text));
  }

  async judge(effect: Effect): Promise<"project" | "routine" | { readonly objection: string } | undefined> {
    if (effect.kind !== "run" || effect.within || effect.opaque === true || effect.routine === true)
      return undefined;
    if (this.#feeds || this.#goesByNewLinks()) return undefined;
    const use = this.#analysis.files.find((one) => isWriting(one) && formatUse(one) === effect.target);
    if (use !== undefined) {
      if (use.kind === "overwrite" && !this.#writesWhatIsThere()) return undefined;
      return (await this.#areRecoverable([use.path])) ? "routine" : undefined;
    }
    const part = this.#parts.get(effect.target);
    if (part !== undefined && readGitChange(part.words) !== undefined) return this.#markOfGit();
    if (part === undefined || (effect.risk !== undefined && !isWeighed(part.words[0]))) return undefined;
    if (runsProjectProgram(part.words))
      return this.#writesCode() || this.#takesFromOutside(part.words) ? undefined : "project";
    if (this.#isOfProject(part.words[0] ?? "")) return undefined;
    const changed = changedBy(part.words);
    if (changed === undefined) return undefined;
    if (changed.removes === true && !this.#areThere(changed.names)) return undefined;
    return (await this.#areRecoverable(changed.names, changed.target)) ? "routine" : undefined;
  }

  async #markOfGit(): Promise<"routine" | { readonly objection: string } | undefined> {
    if (this.#isOfProject("git")) return undefined;
    this.#git ??= judgeGitLine({ analysis: this.#analysis, place: this.#place, undo: this.#undo });
    const judged = await this.#git;
    return judged === "undoable" ? "routine" : judged;
  }

  /** Whether another program is found by the name of a known one. */
  #isOfProject(program: string): boolean {
    return this.#place.programs.find(program, this.#listPaths("."))?.isOfProject === true;
  }

  /** Whether a snapshot would hold all that a command may change, as far as its line tells. */
  canBeUndone({ kind, within, opaque, target }: Effect): boolean {
    if (kind !== "run" || within || opaque === true || this.#feeds || this.#goesByNewLinks()) return false;
    const use = this.#analysis.files.find((one) => isWriting(one) && formatUse(one) === target);
    const words = use === undefined ? this.#parts.get(target)?.words : [use.path];
    if (words === undefined || words.some((word) => versionControl.test(word))) return false;
    const names = words.slice(use === undefined ? 1 : 0).flatMap((word) => [word, ...word.split(/[=:,]/)]);
    return (
      this.#undo.objection(this.#place.context) === undefined && names.every((name) => this.#isCovered(name))
    );
  }

  /** Whether what a name stands for is in snapshots, if it stands for a file. */
  #isCovered(name: string): boolean {
    if (name === "" || /^-|^~|[*?[{$]/.test(name)) return !/^~|[*?[{$]/.test(name);
    const { workspace, context } = this.#place;
    try {
      return this.#listPaths(name).every((given) => {
        const { path, within } = workspace.locate(given, context);
        return !within || this.#undo.covers(path, context);
      });
    } catch (error) {
      if (error instanceof HostError) return false;
      throw error;
    }
  }

  /** Whether the line makes a link and does more: where that leads, the paths of the rest don't show. */
  #goesByNewLinks(): boolean {
    const { parts, files } = this.#analysis;
    const links = parts.filter(({ words: [program, ...args] }) => program === "ln" && args.some(isLinking));
    if (links.length === 0) return false;
    const others = parts.filter((part) => part !== links[0]);
    return others.some(({ readOnly }) => !readOnly) || files.some(({ kind }) => kind !== "names");
  }

  /**
   * Whether what a line writes into a file is what it reads from others: `cat a > b` copies, and is judged as `cp a b`.
   * If one can't be read, nothing is left of the file; and for a text of its own there are tools that record it.
   */
  #writesWhatIsThere(): boolean {
    const { parts, files } = this.#analysis;
    const read = files.filter(({ kind }) => kind === "read" || kind === "search");
    return (
      read.length > 0 &&
      parts.every(({ readOnly }) => readOnly) &&
      this.#areThere(read.map(({ path }) => path))
    );
  }

  #areThere(names: readonly string[]): boolean {
    const { workspace, context } = this.#place;
    const isThere = (path: string) =>
      workspace.locate(path, context).within &&
      workspace.status(path, toFileAccess(this.#place), { follow: false }) !== undefined;
    try {
      return names.every((name) => this.#listPaths(name).every(isThere));
    } catch (error) {
      if (error instanceof HostError) return false;
      throw error;
    }
  }

  /** Whether the line writes a file that it may run afterwards. */
  #writesCode(): boolean {
    return this.#analysis.files.some((use) => isWriting(use) && !plainOutput.test(use.path));
  }

  /** Whether an argument may name a file outside of the folder, which would then be code or configuration of the run. */
  #takesFromOutside(words: readonly string[]): boolean {
    const { workspace, context } = this.#place;
    const isOurs = (name: string) =>
      name === "/dev/null" ||
      isTemporaryUse({ kind: "names", path: name, home: false }, this.#analysis, this.#place) ||
      this.#listPaths(name).every((path) => workspace.locate(path, context).within);
    try {
      return !pathsInArguments(words).every((name) => !name.startsWith("~") && isOurs(name));
    } catch (error) {
      if (error instanceof HostError) return true;
      throw error;
    }
  }

  /** @param target the destination that the named files are moved or copied to */
  async #areRecoverable(names: readonly string[], target?: string): Promise<boolean> {
    for (const name of names) if (!(await this.#isNameRecoverable(name))) return false;
    if (target === undefined || isTemporary(target, this.#place) || (await this.#isNameRecoverable(target)))
      return true;
    for (const name of names)
      if (!(await this.#isNameRecoverable(posix.join(target, posix.basename(name))))) return false;
    return this.#listPaths(target).every((path) => this.#isFolder(path));
  }

  async #isNameRecoverable(name: string): Promise<boolean> {
    if (name === "" || isGuarded(name) || runsByItself(name) || /^~|[*?[{]/.test(name)) return false;
    for (const path of this.#listPaths(name)) if (!(await this.#isRecoverable(path))) return false;
    return true;
  }

  #listPaths(name: string): readonly string[] {
    return resolvePaths({ path: name, home: false }, this.#analysis.folders, this.#place.cwd);
  }

  #isFolder(path: string): boolean {
    const { workspace, context } = this.#place;
    if (!workspace.locate(path, context).within) return false;
    return workspace.status(path, toFileAccess(this.#place), { follow: false })?.type === "folder";
  }

  /** Whether nothing exists at the path, or a file whose present content git has. */
  async #isRecoverable(given: string): Promise<boolean> {
    if (this.#left-- <= 0) return false;
    const { workspace, context } = this.#place;
    const access = toFileAccess(this.#place);
    try {
      const { path, within } = workspace.locate(given, context);
      if (!within || isGuarded(path) || runsByItself(path) || !this.#undo.covers(path, context)) return false;
      const status = workspace.status(given, access, { follow: false });
      if (status === undefined) return true;
      if (status.type !== "file" || status.size > mostFileBytes || status.links > 1) return false;
      using file = workspace.open(path, access);
      const bytes = await file.bytes(mostFileBytes, access.signal);
      const hash = blobHash(bytes.length);
      hash.update(bytes);
      return (await this.#blobInGit(path)) === hash.digest();
    } catch (error) {
      if (error instanceof HostError) return false;
      throw error;
    }
  }

  /** Id of the blob that git has for this path. */
  async #blobInGit(path: string): Promise<string | undefined> {
    const { workspace, context } = this.#place;
    const access = toFileAccess(this.#place);
    for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
      if (!workspace.locate(folder, context).within) return undefined;
      const own = `${folder}/.git`;
      if (workspace.status(own, access, { follow: false })?.type === "folder") {
        const known = this.#indexes.get(own) ?? this.#readIndex(`${own}/index`);
        this.#indexes.set(own, known);
        return (await known)?.get(path.slice(folder.length + 1));
      }
      if (posix.dirname(folder) === folder) return undefined;
    }
  }

  async #readIndex(path: string): Promise<ReadonlyMap<string, string> | undefined> {
    const access = toFileAccess(this.#place);
    try {
      using file = this.#place.workspace.open(path, access);
      const index = await file.bytes(mostIndexBytes, access.signal);
      const blobs = new Map<string, string>();
      for (const { name, hashAt } of readIndex(index, hashBytes))
        blobs.set(name, index.toString("hex", hashAt, hashAt + hashBytes));
      return blobs;
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }
}

const hashBytes = 20;

function isLinking(option: string): boolean {
  return /^-[a-zA-Z]*s/.test(option) || option.startsWith("--s");
}

function isWriting({ kind }: FileUse): boolean {
  return kind === "append" || kind === "overwrite";
}

/** Formats a redirection like the command part that represents it. */
function formatUse({ kind, path, home }: FileUse): string {
  return `${kind === "append" ? ">>" : ">"} ${quoteArgument({ text: path, fixed: true, ...(home && { home }) })}`;
}

/** What of these is risky is looked at by itself. */
function isWeighed(program: string | undefined): boolean {
  return program === "chmod" || program === "rm";
}

const movers: Readonly<Record<string, RegExp>> = {
  mv: /^-[fnvu]+$/,
  cp: /^-[fnvuap]+$/,
  ln: /^-[sfnvr]+$/,
};

interface Changed {
  readonly names: readonly string[];
  readonly target?: string;
  /** They are gone then: what is not there now may be there by then, and is in no snapshot. */
  readonly removes?: true;
}

/** Returns the files that a program may change if its line names all of them; undefined if it may change others. */
function changedBy([program = "", ...args]: readonly string[]): Changed | undefined {
  if (program === "sed") return changedBySed(args);
  // Its own right to run, which says nothing of when it does.
  if (program === "chmod")
    return args.length > 1 && /^[ugoa]*\+x$/.test(args[0] ?? "") ? { names: args.slice(1) } : undefined;
  if (program === "rm") {
    const names = args.filter((arg) => !/^-[fv]+$/.test(arg));
    return names.length === 0 || names.some((name) => name.startsWith("-"))
      ? undefined
      : { names, removes: true };
  }
  const options = Object.hasOwn(movers, program) ? movers[program] : undefined;
  if (options === undefined) return undefined;
  const operands = args.filter((arg) => !options.test(arg));
  if (operands.length < 2 || operands.some((operand) => operand.startsWith("-"))) return undefined;
  return { names: operands.slice(0, -1), target: operands.at(-1) as string };
}

/** A sed command that starts no program and writes no other file. */
const sedCommand =
  /^(\d+|\$|\d+,(\d+|\$)|\/[^/\\]*\/)?!?(s([/|#,@])(?:(?!\4)[^\\\n]|\\.)*\4(?:(?!\4)[^\\\n]|\\.)*\4[gIip\d]*|d|p)$/;

function changedBySed(args: readonly string[]): Changed | undefined {
  if (!args.includes("-i") && !args.includes("-Ei") && !args.includes("-ri")) return undefined;
  const rest = args.filter((arg) => !/^-(i|E|r|Ei|ri|-regexp-extended)$/.test(arg));
  const given: string[] = [];
  const files: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] as string;
    if (word === "-e") given.push(rest[++at] ?? "");
    else if (word.startsWith("-")) return undefined;
    else files.push(word);
  }
  if (given.length === 0) given.push(files.shift() ?? "");
  return files.length > 0 && given.every((script) => sedCommand.test(script)) ? { names: files } : undefined;
}
