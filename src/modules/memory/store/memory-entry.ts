import type { Trust } from "../../../kernel/index.ts";

/** The tiers of memory: always in the prompt, in it for now, to be searched, or written by the system alone. */
export const memoryTiers = ["core", "working", "archival", "log"] as const;

/** One of {@link memoryTiers}. */
export type MemoryTier = (typeof memoryTiers)[number];

/** Who may change an entry, from the strictest to the most permissive. */
export const memoryPermissions = ["read_only", "partner", "human", "append", "read_write", "admin"] as const;

/** One of {@link memoryPermissions}. */
export type MemoryPermission = (typeof memoryPermissions)[number];

/** What an entry is. Any other word is a kind too. */
export const memoryKinds = [
  /** A named text that an agent keeps in sight. */
  "block",
  /** One thing that was remembered. */
  "memory",
  "note",
  /** What is known of a project. */
  "profile",
  /** One turn of a conversation. */
  "message",
  /** A stretch of a Markdown file in the memory folder. */
  "passage",
  /** What an observer noted of a conversation. */
  "observation",
] as const;

/** One of {@link memoryKinds}, or any other word. */
export type MemoryKind = (typeof memoryKinds)[number] | (string & {});

/** Who wrote an entry, and in which call. */
export interface MemoryAuthor {
  /** `agent:writer`, `owner:ada`, `mcp:alice`, `import:notes.md`, `observer`, … */
  readonly by: string;
  readonly callId?: string;
  readonly channel?: string;
  /** Ids of the entries it was made of. */
  readonly sources?: readonly string[];
}

/** What can be said of an entry beside its text. */
export interface MemoryFacts {
  /** Unique in its scope among the entries that are not deleted: 1 to 200 characters, no control characters. */
  readonly label?: string;
  /** @default "archival" */
  readonly tier?: MemoryTier;
  /** The title for people; up to 300 characters. */
  readonly title?: string;
  /** Names of what it is about, with their other spellings: whoever says one of them finds it. */
  readonly names?: readonly string[];
  readonly category?: string;
  readonly tags?: readonly string[];
  /** @default "read_write" */
  readonly permission?: MemoryPermission;
  /** @default false */
  readonly pinned?: boolean;
  /** Unix ms. When what it tells of was so: from, and until just before. Absent: always. */
  readonly validFrom?: number;
  readonly validTo?: number;
  /** The id of the newer entry that tells it right. */
  readonly supersededBy?: string;
}

/** The position of an entry in a sequence: a turn of a conversation, a stretch of a file. */
export interface MemoryPlace {
  /** The name of the sequence: a conversation, a file. */
  readonly session: string;
  /** Grows within the session. @default one more than the last */
  readonly position?: number;
  /** Who said a turn. */
  readonly speaker?: string;
  /** The role of a turn: `user`, `assistant`, … */
  readonly role?: string;
  /** The channel of a turn: `telegram`, `cli`, … */
  readonly channel?: string;
}

/** An entry to be made. */
export interface NewMemoryEntry extends MemoryFacts {
  readonly kind: MemoryKind;
  /** At most 1,000,000 characters. */
  readonly text: string;
  readonly place?: MemoryPlace;
  /** Unix ms: when it was said or happened. @default now */
  readonly at?: number;
  /** @default "trusted" */
  readonly trust?: Trust;
}

/** One thing that is remembered. Tools that edit it call it a block. */
export interface MemoryEntry {
  readonly id: string;
  /** The scope that has it. Of an entry that was shared, its owner's. */
  readonly scope: string;
  readonly kind: MemoryKind;
  readonly label: string | undefined;
  readonly tier: MemoryTier;
  readonly text: string;
  readonly title: string | undefined;
  readonly names: readonly string[];
  readonly category: string | undefined;
  readonly tags: readonly string[];
  /**
   * The permission of the scope that asked: of an entry that was shared, the stricter of its own and the
   * share's.
   */
  readonly permission: MemoryPermission;
  readonly pinned: boolean;
  readonly trust: Trust;
  readonly place: (Required<Pick<MemoryPlace, "session" | "position">> & MemoryPlace) | undefined;
  /** Unix ms: when it was said or happened. */
  readonly at: number;
  readonly validFrom: number | undefined;
  readonly validTo: number | undefined;
  readonly supersededBy: string | undefined;
  /** Who made it; who changed it since is in its history. */
  readonly author: MemoryAuthor;
  /** Unix ms. */
  readonly createdAt: number;
  readonly changedAt: number;
  readonly deletedAt: number | undefined;
  /** Grows by one with every change, of its shares too: an edit may say which one it was made for. */
  readonly revision: number;
  /** How many changes can be taken back, and how many of those that were can be made again. */
  readonly undoDepth: number;
  readonly redoDepth: number;
}

/** An entry as it was from one change to the next. */
export interface MemoryVersion {
  /** Counts up from 1. */
  readonly version: number;
  readonly at: number;
  readonly author: MemoryAuthor;
  /** The edit that made it: `create_block`, `append_to_block`, … */
  readonly change: string;
  readonly text: string;
  readonly facts: MemoryFacts;
  readonly trust: Trust;
  readonly deleted: boolean;
  /** The one that is in force now. */
  readonly current: boolean;
}

/** What another scope may do with an entry. */
export interface MemoryShare {
  readonly entryId: string;
  readonly owner: string;
  readonly scope: string;
  readonly permission: MemoryPermission;
  readonly sharedAt: number;
}
