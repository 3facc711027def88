import type { Workspace } from "../../../../host/index.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import type { MemoryFiles } from "../files/index.ts";

/** A text that a model is given to make another of, with what it is called. */
export interface DigestSource {
  readonly title: string;
  readonly text: string;
  /** Unix ms: when it was so. */
  readonly at: number;
}

/**
 * What notes need of a model: text of texts. The tools do the rest, so that nothing is changed that the caller may not
 * change, and everything can be taken back. A source that holds data from outside is data to the model as well.
 */
export interface MemoryDigest {
  /** The profile of a project with what a note says folded in. */
  promote(request: {
    readonly project: string;
    readonly note: DigestSource;
    /** Absent where there is none yet. */
    readonly profile?: string;
    readonly signal: AbortSignal;
  }): Promise<string>;
  /** A profile of a project made anew of what is known of it, the oldest first. */
  regenerate(request: {
    readonly project: string;
    readonly sources: readonly DigestSource[];
    readonly signal: AbortSignal;
  }): Promise<string>;
  /** What is worth keeping of the sources, which are all of one week, the oldest first. */
  compact(request: {
    readonly project: string;
    readonly sources: readonly DigestSource[];
    readonly signal: AbortSignal;
  }): Promise<string>;
}

/** How the search of memory is kept up, where the store can tell. */
export interface MemoryUpkeep {
  /** How many of the scope's own entries are not searched by meaning yet; undefined where nothing is. */
  unembedded(scope: string): Promise<number | undefined>;
  /** Builds the index of a scope's words anew, and begins its vectors; resolves with how many entries that are. */
  reindex(scope: string, signal: AbortSignal): Promise<number>;
}

/** What the tools of notes work with. */
export interface NoteServices {
  readonly memory: MemoryStore;
  /** The project of calls that leave `project_id` out. */
  readonly project?: string;
  /** The workspace with the project's specs. Absent: they are not compared. */
  readonly workspace?: Workspace;
  /** Absent: no model is configured. */
  readonly digest?: MemoryDigest | undefined;
  readonly upkeep?: MemoryUpkeep;
  /** The memory files, where there are any. */
  readonly files?: Pick<MemoryFiles, "reindex">;
}
