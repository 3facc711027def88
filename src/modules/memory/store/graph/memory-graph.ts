import type { Trust } from "../../../../kernel/index.ts";

/** What a node can be. Any other word is a type too. */
export const entityTypes = ["person", "place", "concept", "event", "entity"] as const;
/** `entity`: it was not said what. */
export type EntityType = (typeof entityTypes)[number] | (string & {});

/** A person, place or thing that an entry names. */
export interface NewGraphNode {
  /** 1 to 200 characters. */
  readonly name: string;
  /** @default "entity", or what is known by this name already */
  readonly type?: EntityType;
  /** Other names for it. */
  readonly aliases?: readonly string[];
}

/** A node by its name, or by name and type where two have that name. */
export type NodeName = string | Pick<NewGraphNode, "name" | "type">;

/** A relation that an entry says. */
export interface NewGraphEdge {
  readonly source: NodeName;
  /** The relation in a few words: `works at`. Up to 100 characters; `_` and case make no difference. */
  readonly relation: string;
  readonly target: NodeName;
  /** Unix ms: from when it was so, and until just before. @default as the entry that says it */
  readonly validFrom?: number;
  readonly validTo?: number;
}

/** What one entry says. Said again, it is the same: only another entry adds weight. */
export interface GraphFacts {
  /** The entry, one of the scope's own. */
  readonly entryId: string;
  /** What it is about. The ends of its edges are, without being named here. */
  readonly nodes?: readonly NewGraphNode[];
  readonly edges?: readonly NewGraphEdge[];
}

/** A person, place or thing that entries name. */
export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly aliases: readonly string[];
  /** How many entries name it, counted up to 100. */
  readonly mentions: number;
  /** `untrusted` where no trusted entry names it. */
  readonly trust: Trust;
}

/** How a name was found: as it is said, by its beginning, with one letter otherwise, or by some of its words. */
export const nameMatches = ["exact", "prefix", "one edit", "words"] as const;

/** One of {@link nameMatches}. */
export type NameMatch = (typeof nameMatches)[number];

/** A node that was found by a name. */
export interface FoundNode {
  readonly node: GraphNode;
  /** The name that was found: an alias, maybe. */
  readonly name: string;
  readonly match: NameMatch;
}

/** An entry that says an edge. */
export interface EdgeSource {
  readonly entryId: string;
  readonly validFrom: number | undefined;
  readonly validTo: number | undefined;
  readonly trust: Trust;
}

/** A relation between two nodes, with the entries that say it. */
export interface GraphEdge {
  /** Ids of nodes. */
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  /** How many entries say so, counted up to 100. */
  readonly weight: number;
  /** Those entries, at most 8: the newest of them. */
  readonly sources: readonly EdgeSource[];
  /** False: it was so once, or what said so was corrected. */
  readonly current: boolean;
  /** `untrusted` where no trusted entry says so. */
  readonly trust: Trust;
}

/** Which nodes a name may mean. */
export interface FindOptions {
  readonly type?: EntityType;
  /** 1 to 100. @default 10 */
  readonly limit?: number;
}

/** The time that a question about the graph is asked for. */
export interface GraphTime {
  /** Unix ms: what was so then. @default now */
  readonly at?: number;
  /** What was so at any time, and what was corrected, too. @default false */
  readonly former?: boolean;
}

/** How much of the surroundings of a node is wanted, and at what time. */
export interface ExploreOptions extends GraphTime {
  /** Steps from the node: 1 to 3. @default 2 */
  readonly depth?: number;
  /** Nodes, the strongest of all: 1 to 200. @default 30 */
  readonly limit?: number;
}

/** A node near the one that was asked about. */
export interface Neighbour {
  readonly node: GraphNode;
  /** Steps from where the exploring began. */
  readonly depth: number;
  /** 0 to 1: grows with the weight of the edges that lead there, and with their number. */
  readonly strength: number;
}

/** A node with what is around it. */
export interface Neighbourhood {
  readonly node: GraphNode;
  /** The strongest first. */
  readonly neighbours: readonly Neighbour[];
  /** Between all of these, the heaviest first. */
  readonly edges: readonly GraphEdge[];
  /** Whether there is more than is given here. */
  readonly cut: boolean;
}

/** How far apart two nodes may be, and at what time. */
export interface ConnectOptions extends GraphTime {
  /** Steps: 1 to 3. @default 3 */
  readonly depth?: number;
}

/** How two nodes are connected. */
export interface Connection {
  /**
   * The nodes from one end to the other, on the strongest of the shortest ways. Empty: there is none within
   * `depth`.
   */
  readonly nodes: readonly GraphNode[];
  /** One fewer than the nodes. Each as it is said, in whichever direction. */
  readonly edges: readonly GraphEdge[];
  readonly depth: number;
  /** False: one of the two has so many neighbours that only the strongest were looked through. */
  readonly complete: boolean;
}

/** That an entry is about a node. */
export interface Mention {
  readonly entryId: string;
  readonly nodeId: string;
}

/** That an entry is about a node, and what it calls it. */
export interface NamedEntity extends Mention {
  readonly name: string;
  readonly type: EntityType;
}

/**
 * What the entries of a scope are about, and how that hangs together. Nothing is in it that no entry says: what only
 * deleted entries say is as if it were not there until they are restored, and what only superseded ones say was so once.
 * It keeps scopes apart, and is not shared along with entries. A graph of your own is proved by `graphCases` of
 * `haft/testing`.
 */
export interface MemoryGraph {
  /**
   * Adds what entries say, all of it or nothing. An end of an edge is the node of these facts with that name, or the one
   * that is known by it, or a new one.
   *
   * @throws {MemoryError} MEMORY_NOT_FOUND for an entry that is not the scope's own; MEMORY_INVALID for a name or a
   * relation that is empty or too long, and for an edge that ends before it begins; MEMORY_TOO_LONG for too much at once.
   */
  add(scope: string, facts: readonly GraphFacts[]): Promise<void>;
  /**
   * The nearest first: exact, prefix, one edit, words; among equals what trusted entries name, what has it for its own
   * name, and what most entries name.
   */
  find(scope: string, name: string, options?: FindOptions): Promise<readonly FoundNode[]>;
  /** What a node is connected with, by the ways that are strongest. Undefined where the scope has no such node. */
  explore(scope: string, nodeId: string, options?: ExploreOptions): Promise<Neighbourhood | undefined>;
  /** How two nodes are connected. Undefined where the scope lacks one of them. */
  connect(
    scope: string,
    fromId: string,
    toId: string,
    options?: ConnectOptions,
  ): Promise<Connection | undefined>;
  /** What these entries are about: of at most 500 of them. */
  entities(scope: string, entryIds: readonly string[]): Promise<readonly NamedEntity[]>;
  /** Entries that are about any of these nodes: of each the newest first, at most `limit` (@default 20). */
  mentions(
    scope: string,
    nodeIds: readonly string[],
    options?: { readonly limit?: number },
  ): Promise<readonly Mention[]>;
  /** Takes away for good what these entries said. */
  forget(scope: string, entryIds: readonly string[]): Promise<void>;
}
