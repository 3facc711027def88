import { getErrorMessage } from "../../base/index.ts";
import { checkTool, type Tool } from "../tool/tool.ts";

/** Who has a name that several bring: the lowest. Within one rank, who came first. */
export const shelfRanks = { builtIn: 0, custom: 1, manifest: 2, mcp: 3 } as const;

/** One of {@link shelfRanks}: where two sources bring one name, the lower number has it. */
export type ShelfRank = (typeof shelfRanks)[keyof typeof shelfRanks];

/** A tool of a shelf that is not in the registry, and why. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** One of any shelf, with the name of that. */
export interface SkippedTool extends Skipped {
  readonly shelf: string;
}

/** The tools of one source: they come and go together, while the rest of the registry stays as it is. */
export interface ToolShelf {
  readonly name: string;
  /**
   * Replaces what was on the shelf. What stays the same value stays registered; what is wrong or has a name that is
   * taken is skipped, and comes in by itself once the name is free.
   */
  put(tools: readonly Tool[]): readonly Skipped[];
  /** The tools that could not be registered, and why. */
  skipped(): readonly Skipped[];
  /** Takes all of it away, and the shelf too: what is put there later is dropped. */
  close(): void;
}

/** The names that a change gave another tool, or none any more. */
export interface Settled {
  readonly changed: ReadonlyMap<string, Tool>;
  readonly removed: readonly string[];
}

interface Candidate {
  readonly tool: Tool;
  readonly shelf: Shelf;
}

/** Who has which name: the tools of all shelves, and those that the program itself registered. */
export class Shelves {
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #own = new Shelf("this program", shelfRanks.builtIn, 0);
  readonly #all = new Set<Shelf>();
  #added = 0;

  /** One more place for tools. */
  add(name: string, rank: ShelfRank): Shelf {
    const shelf = new Shelf(name, rank, ++this.#added);
    this.#all.add(shelf);
    return shelf;
  }

  /** Adds a tool of the program itself. The caller has seen that the name is free. */
  own(tool: Tool): Settled {
    this.#own.tools.set(tool.name, tool);
    this.#enter(tool.name, { tool, shelf: this.#own });
    return this.#settle([tool.name]);
  }

  /** Takes away what has the name now. */
  remove(name: string): Settled {
    const winner = this.winnerOf(name);
    if (winner !== undefined) this.#leave(name, winner.shelf);
    return this.#settle([name]);
  }

  close(shelf: Shelf): Settled {
    const settled = this.put(shelf, []);
    this.#all.delete(shelf);
    return settled;
  }

  put(shelf: Shelf, tools: readonly Tool[]): Settled {
    if (!this.#all.has(shelf)) return this.#settle([]);
    const names = new Set(shelf.tools.keys());
    const wanted = new Map<string, Tool>();
    shelf.faults.clear();
    for (const tool of tools) {
      names.add(tool.name);
      const fault = wanted.has(tool.name) ? `"${shelf.name}" has two tools of this name` : faultOf(tool);
      if (fault === undefined) wanted.set(tool.name, tool);
      else shelf.faults.set(tool.name, fault);
    }
    for (const name of names) {
      const tool = wanted.get(name);
      if (shelf.tools.get(name) === tool) names.delete(name);
      else this.#exchange(name, shelf, tool);
    }
    return this.#settle(names);
  }

  skippedOf(shelf: Shelf): Skipped[] {
    const skipped = Array.from(shelf.faults, ([name, reason]): Skipped => ({ name, reason }));
    for (const name of shelf.tools.keys()) {
      const winner = this.winnerOf(name);
      if (winner === undefined || winner.shelf === shelf) continue;
      skipped.push({
        name,
        reason: `the name is taken by a tool of ${winner.shelf.name}; rename one of them`,
      });
    }
    return skipped;
  }

  skipped(): SkippedTool[] {
    return Array.from(this.#all).flatMap((shelf) =>
      this.skippedOf(shelf).map((one) => ({ ...one, shelf: shelf.name })),
    );
  }

  winnerOf(name: string): Candidate | undefined {
    return this.#candidates.get(name)?.[0];
  }

  #exchange(name: string, shelf: Shelf, tool: Tool | undefined): void {
    this.#leave(name, shelf);
    if (tool === undefined) return;
    shelf.tools.set(name, tool);
    this.#enter(name, { tool, shelf });
  }

  #enter(name: string, candidate: Candidate): void {
    const candidates = this.#candidates.get(name);
    if (candidates === undefined) this.#candidates.set(name, [candidate]);
    else candidates.push(candidate);
    candidates?.sort(byPrecedence);
  }

  #leave(name: string, shelf: Shelf): void {
    shelf.tools.delete(name);
    const left = (this.#candidates.get(name) ?? []).filter((candidate) => candidate.shelf !== shelf);
    if (left.length === 0) this.#candidates.delete(name);
    else this.#candidates.set(name, left);
  }

  #settle(names: Iterable<string>): Settled {
    const changed = new Map<string, Tool>();
    const removed: string[] = [];
    for (const name of names) {
      const winner = this.winnerOf(name);
      if (winner === undefined) removed.push(name);
      else changed.set(name, winner.tool);
    }
    return { changed, removed };
  }
}

/** One source's part of {@link Shelves}. */
export class Shelf {
  readonly name: string;
  readonly rank: ShelfRank;
  readonly order: number;
  readonly tools: Map<string, Tool> = new Map();
  readonly faults: Map<string, string> = new Map();

  constructor(name: string, rank: ShelfRank, order: number) {
    this.name = name;
    this.rank = rank;
    this.order = order;
  }
}

function byPrecedence(a: Candidate, b: Candidate): number {
  return (
    Number(overrides(b)) - Number(overrides(a)) ||
    a.shelf.rank - b.shelf.rank ||
    a.shelf.order - b.shelf.order
  );
}

/** What the owner wrote may replace what is there; what a stranger's server offers may not. */
function overrides({ tool, shelf }: Candidate): boolean {
  return tool.override === true && shelf.rank !== shelfRanks.mcp;
}

function faultOf(tool: Tool): string | undefined {
  try {
    checkTool(tool);
    return undefined;
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}
