/** What must hold in the place where a part runs, so that nothing is known against it. */
export interface RoutineTerms {
  /** None of these may be there. */
  readonly absent: readonly string[];
  /** The repository that the line is in must start nothing by its configuration. */
  readonly repository?: true;
  /** What git would take in, as pathspecs; "" is the whole work tree. No file among it may hold secrets. */
  readonly stages?: readonly string[];
  /** What of the work tree git would show the content of. */
  readonly shows?: GitShows;
  /** Nothing is known of a program of this name: it may not be installed. */
  readonly notInstalled?: string;
  /** Where all of this holds it changes nothing and reads only what is named: it needs no sandbox. */
  readonly looks?: true;
  /** No file of this name may be in the folder that the line is in, or above it. */
  readonly absentAbove?: string;
  /** It makes these itself: what comes later in the line may find them there. */
  readonly makes?: readonly string[];
}

/** Each of the files must be one; none of them: the whole work tree as it is and as git last knew it. */
export interface GitShows {
  readonly files: readonly string[];
  /** They may be folders, too: then it is the whole work tree. */
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

export type FileUseKind = "read" | "names" | "matches" | "search" | "append" | "overwrite";

/**
 * A file or folder that the line names, and what happens to it. `names`: only what is there, not what is in it;
 * `matches`: the files that the path, a pattern, stands for are read.
 */
export interface FileUse {
  readonly kind: FileUseKind;
  /** As written, de-quoted. */
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
