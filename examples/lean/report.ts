import type { ConnectedServer } from "./installation.ts";
import type { Sums } from "./measure.ts";

export interface DemoResult {
  readonly servers: readonly ServerFigures[];
  readonly tokens: TokenFigures;
  readonly rankings: readonly Ranking[];
}

export interface ServerFigures extends ConnectedServer {
  /** With its version. */
  readonly package: string;
  /** Of its definitions. */
  readonly tokens: number;
}

/** What a model is shown of the tools before it does anything. */
export interface TokenFigures {
  readonly tokenizer: string;
  readonly basis: string;
  readonly all: ListFigures;
  readonly lean: ListFigures;
  /** By the lean list in place of all, from 0 to 1. */
  readonly saved: {
    readonly request: number;
    /** Of the tokens of a whole interaction, with what it takes to search. */
    readonly interaction: number;
    /** Of what that costs, with the prompt cache. */
    readonly cost: number;
  };
  readonly requests: number;
}

export interface ListFigures {
  readonly tools: number;
  readonly tokens: number;
}

/** All goals, searched for one way. */
export interface Ranking {
  /** In the person's words, or as an agent asks. */
  readonly phrasing: "goal" | "asked";
  readonly by: string;
  /** What the search said of how it went. */
  readonly notes: readonly string[];
  readonly sums: Sums;
  readonly goals: readonly RankedGoal[];
}

export interface RankedGoal {
  readonly searched: string;
  /** Absent: it is not among the ten that were found. */
  readonly place?: number;
  /** The best first. */
  readonly found: readonly string[];
}

/** All of it as text for people. */
export function renderResult({ servers, tokens, rankings }: DemoResult): string {
  return [renderServers(servers), renderTokens(tokens), renderGoals(rankings), renderSums(rankings)].join(
    "\n\n",
  );
}

function renderServers(servers: DemoResult["servers"]): string {
  const rows = servers.map(({ name, package: from, tools, tokens, ms, reason }) => [
    name,
    from,
    String(tools),
    grouped(tokens),
    ms === undefined ? `not connected: ${reason ?? "no reason was given"}` : `${ms} ms`,
  ]);
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  return `${table([["server", "package", "tools", "tokens", "listed after"], ...rows])}\n${servers.length} servers, ${tools} tools`;
}

function renderTokens({ tokenizer, all, lean, saved, requests }: TokenFigures): string {
  return [
    `Tokens of the definitions in each request (${tokenizer}, as OpenAI's models read them; haft's own are among them)`,
    table([
      ["all", `${all.tools} tools`, grouped(all.tokens)],
      ["lean", `${lean.tools} tools`, grouped(lean.tokens), `${percent(saved.request)} saved`],
    ]),
    `Over ${requests} requests, with what it takes to search: ${percent(saved.interaction)} of the tokens saved, ${percent(saved.cost)} of their cost with a prompt cache`,
  ].join("\n");
}

/** For each phrasing the places of all goals. */
function renderGoals(rankings: readonly Ranking[]): string {
  const byPhrasing = Map.groupBy(rankings, ({ phrasing }) => phrasing);
  return Array.from(byPhrasing, ([phrasing, alike]) => {
    const best = alike.at(-1)?.goals ?? [];
    const rows = best.map(({ searched, found }, at) => [
      ...alike.map(({ goals }) => String(goals[at]?.place ?? "–")),
      found[0] ?? "",
      searched,
    ]);
    return table([[...alike.map(({ by }) => by), "came first", titles[phrasing]], ...rows]);
  }).join("\n\n");
}

const titles: Readonly<Record<Ranking["phrasing"], string>> = {
  goal: "as a person says it",
  asked: "as an agent asks for it",
};

function renderSums(rankings: readonly Ranking[]): string {
  const rows = rankings.map(({ phrasing, by, sums }) => [
    titles[phrasing],
    `${by}:`,
    `first ${sums.first},`,
    `in the first three ${sums.firstThree},`,
    `in the first five ${sums.firstFive},`,
    `in the first ten ${sums.firstTen},`,
    `not found ${sums.notFound}`,
  ]);
  const notes = new Set(rankings.flatMap((ranking) => (ranking.by === "words" ? [] : ranking.notes)));
  return [table(rows), ...notes].join("\n");
}

/** Numbers stand to the right, and the last column is not filled up. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const fill = (cell: string, at: number, row: readonly string[]) => {
    if (/^[\d,]+( ms| tools)?$/.test(cell)) return cell.padStart(widths[at] ?? 0);
    return at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0);
  };
  return rows.map((row) => row.map(fill).join("  ").trimEnd()).join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
