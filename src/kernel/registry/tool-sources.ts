import { getErrorMessage } from "../../base/index.ts";
import { checkTool, type Tool } from "../tool/tool.ts";

/** Precedence of tool sources: the lowest number has a name that several bring. Within one rank the first to come has it. */
export const sourceRanks = { builtIn: 0, custom: 1, manifest: 2, mcp: 3 } as const;

/** One of {@link sourceRanks}: where two sources bring one name, the lower number has it. */
export type SourceRank = (typeof sourceRanks)[keyof typeof sourceRanks];

/** A tool of a source that is not in the registry, and why. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** A skipped tool with the name of its source. */
export interface SkippedTool extends Skipped {
  readonly source: string;
}

/** The tools of one source: they come and go together, while the rest of the registry stays as it is. */
export interface ToolSource {
  readonly name: string;
  /**
   * Replaces the tools of the source. A tool that is the same value as before stays registered; a faulty one, and one whose
   * name is taken, is skipped. The latter is registered once the name is free.
   */
  put(tools: readonly Tool[]): readonly Skipped[];
  /** The tools that could not be registered, and why. */
  skipped(): readonly Skipped[];
  /** Removes the source with its tools. Tools that are put there later are dropped. */
  close(): void;
}

/** The tools that a change put in place, and the names that it left without one. */
export interface Settled {
  readonly changed: readonly Tool[];
  readonly removed: readonly string[];
}

interface Candidate {
  readonly tool: Tool;
  readonly source: SourceTools;
}

/** Decides which tool has which name, among those of all sources and those that the program itself registered. */
export class ToolSources {
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #own = new SourceTools("this program", sourceRanks.builtIn, 0);
  readonly #all = new Set<SourceTools>();
  #added = 0;

  /** Adds an empty source. */
  add(name: string, rank: SourceRank): SourceTools {
    const source = new SourceTools(name, rank, ++this.#added);
    this.#all.add(source);
    return source;
  }

  /** Adds a tool of the program itself. The caller has seen that the name is free. */
  own(tool: Tool): void {
    this.#candidates.set(tool.name, [{ tool, source: this.#own }]);
  }

  /** Removes the tool that has the name now. */
  remove(name: string): Settled {
    const winner = this.findWinner(name);
    if (winner !== undefined) this.#leave(name, winner.source);
    return this.#settle([name]);
  }

  close(source: SourceTools): Settled {
    const settled = this.put(source, []);
    this.#all.delete(source);
    return settled;
  }

  put(source: SourceTools, tools: readonly Tool[]): Settled {
    if (!this.#all.has(source)) return this.#settle([]);
    const names = new Set(source.tools.keys());
    const wanted = new Map<string, Tool>();
    source.faults.clear();
    for (const tool of tools) {
      names.add(tool.name);
      const isKnown = source.tools.get(tool.name) === tool;
      const fault = wanted.has(tool.name)
        ? `"${source.name}" has two tools of this name`
        : isKnown
          ? undefined
          : findFault(tool);
      if (fault === undefined) wanted.set(tool.name, tool);
      else source.faults.set(tool.name, fault);
    }
    for (const name of names) {
      const tool = wanted.get(name);
      if (source.tools.get(name) === tool) names.delete(name);
      else this.#exchange(name, source, tool);
    }
    return this.#settle(names);
  }

  listSkipped(source: SourceTools): Skipped[] {
    const skipped = Array.from(source.faults, ([name, reason]): Skipped => ({ name, reason }));
    for (const name of source.tools.keys()) {
      const winner = this.findWinner(name);
      if (winner === undefined || winner.source === source) continue;
      skipped.push({
        name,
        reason: `the name is taken by a tool of ${winner.source.name}; rename one of them`,
      });
    }
    return skipped;
  }

  skipped(): SkippedTool[] {
    return Array.from(this.#all).flatMap((source) =>
      this.listSkipped(source).map((one) => ({ ...one, source: source.name })),
    );
  }

  findWinner(name: string): Candidate | undefined {
    return this.#candidates.get(name)?.[0];
  }

  #exchange(name: string, source: SourceTools, tool: Tool | undefined): void {
    this.#leave(name, source);
    if (tool === undefined) return;
    source.tools.set(name, tool);
    this.#enter(name, { tool, source });
  }

  #enter(name: string, candidate: Candidate): void {
    const candidates = this.#candidates.get(name);
    if (candidates === undefined) this.#candidates.set(name, [candidate]);
    else candidates.push(candidate);
    candidates?.sort(byPrecedence);
  }

  #leave(name: string, source: SourceTools): void {
    source.tools.delete(name);
    const left = (this.#candidates.get(name) ?? []).filter((candidate) => candidate.source !== source);
    if (left.length === 0) this.#candidates.delete(name);
    else this.#candidates.set(name, left);
  }

  #settle(names: Iterable<string>): Settled {
    const changed: Tool[] = [];
    const removed: string[] = [];
    for (const name of names) {
      const winner = this.findWinner(name);
      if (winner === undefined) removed.push(name);
      else changed.push(winner.tool);
    }
    return { changed, removed };
  }
}

/** One source's part of {@link ToolSources}. */
export class SourceTools {
  readonly name: string;
  readonly rank: SourceRank;
  readonly order: number;
  readonly tools: Map<string, Tool> = new Map();
  readonly faults: Map<string, string> = new Map();

  constructor(name: string, rank: SourceRank, order: number) {
    this.name = name;
    this.rank = rank;
    this.order = order;
  }
}

function byPrecedence(a: Candidate, b: Candidate): number {
  return (
    Number(overrides(b)) - Number(overrides(a)) ||
    a.source.rank - b.source.rank ||
    a.source.order - b.source.order
  );
}

/** What the owner wrote may replace what is there; what a stranger's server offers may not. */
function overrides({ tool, source }: Candidate): boolean {
  return tool.override === true && source.rank !== sourceRanks.mcp;
}

function findFault(tool: Tool): string | undefined {
  try {
    checkTool(tool);
    return undefined;
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}
