/** Conditions in the folder where a part runs that make the part routine. */
export interface RoutineTerms {
  /** Files that must not exist. */
  readonly absent: readonly string[];
  /** The configuration of the enclosing repository must start no program. */
  readonly repository?: true;
  /** Pathspecs of what git would stage; "" is the whole work tree. None of these files may hold secrets. */
  readonly stages?: readonly string[];
  /** Files of the work tree whose content git would show. */
  readonly shows?: GitShows;
  /** A program of this name must not be installed, as nothing is known of it. */
  readonly notInstalled?: string;
  /** If the conditions hold, the part changes nothing and reads only what it names, so it needs no sandbox. */
  readonly looks?: true;
  /** A file of this name must not exist in the folder where the line runs or in one above it. */
  readonly absentAbove?: string;
  /** Files that the part creates, which later parts of the line may find. */
  readonly makes?: readonly string[];
}

/** Files whose content git shows; an empty list means the whole work tree, as it is and as git last recorded it. */
export interface GitShows {
  readonly files: readonly string[];
  /** The names may be folders too; then the whole work tree counts. */
  readonly orFolders?: true;
}

/** One program that a command line would start, or one thing that it would do by itself. */
export interface CommandPart {
  /** Its words, de-quoted and quoted anew in one way, so that rules know it however it was written. */
  readonly text: string;
  /** The words; those that are not fixed as they are written. */
  readonly words: readonly string[];
  /** Other texts of the same part: without its folder, its variables, the program that carries it. */
  readonly aliases: readonly string[];
  /** Why it can't be known what it does. */
  readonly opaque?: string;
  /** Known to change nothing and to read only what `CommandAnalysis.files` names. */
  readonly readOnly: boolean;
  /** What must hold in the place where it runs, so that nothing is known against it; absent where something is. */
  readonly routine?: RoutineTerms;
  /** What is known against it, in a phrase, wherever it runs. */
  readonly against?: string;
}

export type FileUseKind =
  | "read"
  | "names"
  | "matches"
  | "each"
  | "matched-names"
  | "search"
  | "append"
  | "overwrite";

/**
 * A file or folder that the line names, and what happens to it. `names`: only what is there, not what is in it;
 * `matches`: the files that the path, a pattern, stands for are read; `each`: one after the other, by the variable of a
 * loop; `matched-names`: only what is there is told of them.
 */
export interface FileUse {
  readonly kind: FileUseKind;
  /** The path as it is written, de-quoted. */
  readonly path: string;
  /** `~` in front means the home folder; elsewhere it is a letter like others. */
  readonly home: boolean;
}

/** All that a command line would do, as far as that is known before it runs. */
export interface CommandAnalysis {
  readonly parts: readonly CommandPart[];
  readonly files: readonly FileUse[];
  /** Names of all programs that the line would start, wrappers among them, without those that it gives by a path. */
  readonly programs: readonly string[];
  /** The folders that the line may be in when it names a relative path; "" is the one it starts in. */
  readonly folders: readonly string[];
}
