import type { DeletedPage, Overview } from "../../../app/memory/index.ts";
import type { DiffLine } from "../../../base/index.ts";
import type {
  FoundNode,
  MemoryEntry,
  MemoryHits,
  MemoryPage,
  MemoryPermission,
  MemoryShare,
  MemoryTier,
  MemoryVersion,
  Neighbourhood,
} from "../../../modules/memory/index.ts";
import type { MemoryContextText } from "../../../modules/memory/upkeep/index.ts";

/** The agent whose memory it is. @default that of calls that name no agent */
export interface MemoryOwner {
  readonly agent?: string;
}

/** Which entries: lists are separated by commas, times are Unix ms. */
export interface MemoryAddress extends MemoryOwner {
  readonly kinds?: string;
  readonly tiers?: string;
  readonly tags?: string;
  readonly label?: string;
  readonly trust?: "trusted" | "untrusted";
  readonly since?: string;
  readonly until?: string;
}

/** A version of an entry, with what it made of the text before it. */
export interface ComparedVersion extends MemoryVersion {
  readonly diff: readonly DiffLine[];
}

/** A share of an entry, with the agent whose scope it is. */
export interface NamedShare extends MemoryShare {
  /** `-`: calls that name no agent. Undefined: an agent that is configured no more. */
  readonly with: string | undefined;
}

export interface MemoryDetail {
  readonly entry: MemoryEntry;
  /** False: another scope shared it. */
  readonly own: boolean;
  readonly shares: readonly NamedShare[];
  /** The newest first; empty for an entry that another scope shared. */
  readonly history: readonly ComparedVersion[];
  readonly command: string;
}

/** A change of the revision that was shown. */
export interface MemoryChange extends MemoryOwner {
  readonly revision: number;
}

/** Facts of an entry that a person may set. */
export interface ToldFacts {
  readonly title?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly names?: readonly string[];
  readonly tier?: MemoryTier;
  readonly permission?: MemoryPermission;
  readonly pinned?: boolean;
}

export interface MemoryApi {
  readonly "GET /memory": {
    readonly query: MemoryAddress & {
      /** Also those that were superseded, are not valid now, or are haft's own. */
      readonly all?: "true";
      /** Those alone that were deleted, and can be restored. */
      readonly deleted?: "true";
      readonly limit?: string;
      readonly after?: string;
    };
    readonly answer: MemoryPage | DeletedPage;
  };
  /** Answers the same as `haft memory search --json`: each hit says what found it. */
  readonly "GET /memory/search": {
    readonly query: MemoryAddress & {
      readonly q: string;
      readonly mode?: "auto" | "words" | "meaning";
      readonly limit?: string;
      readonly offset?: string;
    };
    readonly answer: MemoryHits;
  };
  readonly "GET /memory/overview": {
    readonly query: MemoryOwner;
    readonly answer: Overview & { readonly agents: readonly string[] };
  };
  /** What goes into every prompt. */
  readonly "GET /memory/prompt": {
    readonly query: MemoryOwner & { readonly budget?: string };
    readonly answer: MemoryContextText;
  };
  readonly "GET /memory/entries/:id": { readonly query: MemoryOwner; readonly answer: MemoryDetail };
  readonly "POST /memory/entries/:id/edit": {
    readonly body: MemoryChange & { readonly text: string };
    readonly answer: MemoryEntry;
  };
  /** Changes those facts that are named; an empty text takes one away. */
  readonly "POST /memory/entries/:id/facts": {
    readonly body: MemoryChange & ToldFacts;
    readonly answer: MemoryEntry;
  };
  readonly "POST /memory/entries/:id/undo": { readonly body: MemoryChange; readonly answer: MemoryEntry };
  readonly "POST /memory/entries/:id/redo": { readonly body: MemoryChange; readonly answer: MemoryEntry };
  readonly "POST /memory/entries/:id/delete": { readonly body: MemoryChange; readonly answer: MemoryEntry };
  readonly "POST /memory/entries/:id/restore": { readonly body: MemoryChange; readonly answer: MemoryEntry };
  /** Takes the entry and its history away for good. */
  readonly "POST /memory/entries/:id/erase": { readonly body: MemoryChange; readonly answer: MemoryEntry };
  readonly "POST /memory/entries/:id/share": {
    readonly body: MemoryChange & {
      /** `-`: calls that name no agent. */
      readonly with: string;
      /** `none` takes the share back. */
      readonly permission: MemoryPermission | "none";
    };
    readonly answer: MemoryEntry;
  };
  /** Nodes that a name may mean. */
  readonly "GET /memory/nodes": {
    readonly query: MemoryOwner & { readonly name: string };
    readonly answer: readonly FoundNode[];
  };
  /** A node and what is around it: 200 nodes at most. */
  readonly "GET /memory/nodes/:id": {
    readonly query: MemoryOwner & {
      readonly depth?: string;
      readonly limit?: string;
      /** Unix ms: what was so then. */
      readonly at?: string;
      /** Also what was so at any time, and what was corrected. */
      readonly former?: "true";
    };
    readonly answer: Neighbourhood & {
      /** Entries that name the node, the newest first: 20 at most. */
      readonly entries: readonly MemoryEntry[];
    };
  };
}
