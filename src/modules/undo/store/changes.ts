/** What one call did to one file, kept so that it can be undone. */
export interface FileChange {
  readonly scope: string;
  readonly callId: string;
  /** The outermost of the calls that made this one, such as a script. */
  readonly outerCallId?: string;
  /** Canonical and absolute. */
  readonly path: string;
  /** What was there; null where nothing was. */
  readonly before: FormerFile | null;
  /** SHA-256 (hex) of the content that the call leaves; null where it leaves no file. */
  readonly afterHash: string | null;
}

/** What a file was before a call changed it. */
export interface FormerFile {
  /** The former content, an artifact of kind `former`. */
  readonly artifactId: string;
  /** Permission bits. */
  readonly mode: number;
}

/** One call that changed files, with the changes of the calls that it made. */
export interface ChangingCall {
  /** The outermost call. */
  readonly callId: string;
  /** Each path once, in the order of the first change. */
  readonly paths: readonly string[];
  /** Every change was undone. */
  readonly undone: boolean;
}

/** Which calls that changed files to list. */
export interface ChangingCallQuery {
  /** @default the calls of every id */
  readonly callIds?: readonly string[];
  /** What the ids of the calls begin with. @default anything */
  readonly callPrefix?: string;
  /** Look at this many changes at most. */
  readonly limit: number;
}

/** The changes of calls, in the order they were made. A change is recorded before it happens. */
export interface ChangeLog {
  /** Resolves once the record survives a kill -9. */
  record(change: FileChange): Promise<void>;
  /** Those of the call and of the calls that it made, in the order recorded; those already undone are left out. */
  ofCall(scope: string, callId: string): Promise<readonly FileChange[]>;
  /** Leaves the changes of the call out of {@link ofCall} from now on. */
  markUndone(scope: string, callId: string): Promise<void>;
  /** Deletes what was recorded of a call that turned out to change nothing; what calls inside it changed stays. */
  forget(scope: string, callId: string): Promise<void>;
}

/** The log with its reading side. */
export interface ChangeHistory extends ChangeLog {
  /** The calls that changed files, the latest first. */
  list(scope: string, query: ChangingCallQuery): Promise<readonly ChangingCall[]>;
}
