import { spawnSync } from "node:child_process";
import { findPackageJSON } from "node:module";
import { availableParallelism, constants, cpus, setPriority } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installProgram } from "./program.ts";

/** Figures of one round, by name and unit: `{ "µs per call": 0.7 }`. */
export type Figures = Readonly<Record<string, number>>;

/** One program that is measured. Each round runs it in a new process, so that none warms another up. */
export interface Subject {
  readonly name: string;
  /** A package of bench/package.json; where it is not installed the subject is passed over. */
  readonly peer?: string;
  measure(): Promise<Figures>;
}

/** Programs that do the same work. The first is the one that the others are given as multiples of. */
export interface Comparison {
  readonly title: string;
  /** What of it stands in the table of README.md. */
  readonly rows?: readonly RowPlan[];
  /** The subjects run the program as installed: {@link openProgram} gives it to them. */
  readonly isInstalled?: true;
  /** For the processes that measure, such as `--expose-gc`. */
  readonly nodeFlags?: readonly string[];
  readonly subjects: readonly Subject[];
  /** Printed under the table; given the median of a subject's figure, if there is one. */
  readonly summary?: (findMedian: (subject: string, figure: string) => number | undefined) => string;
}

/** A row of the table in README.md: one figure of a comparison, for its subjects of these names. */
export interface RowPlan {
  readonly what: string;
  readonly figure: string;
  readonly ours: string;
  readonly floor?: string;
  readonly peer?: string;
  /** What the row is to reach, with the unit or as a ratio: "≤ 0.9 × the peer". */
  readonly reach?: string;
  /** The kernel in a process of its own, not the program as installed. */
  readonly isKernelOnly?: true;
  /** The sources that are measured: once one of them has changed, the row is out of date. */
  readonly paths: readonly string[];
}

/** What `--json` prints, a line a row. A peer that is not installed has no figure. */
export interface Row extends RowPlan {
  readonly bench: string;
  readonly oursValue: number;
  readonly floorValue?: number;
  readonly peerValue?: number;
  readonly toFloor?: number;
  readonly toPeer?: number;
}

/**
 * The whole of a bench file: `await runBench(import.meta.url, comparisons)`. Prints a Markdown table for each
 * comparison: the median of the rounds, their range, and the ratio to the first subject. Subjects take turns, in
 * the other order every other round. `--rounds N` (5) and `--only TEXT` (of a title) choose. `--json` measures
 * only what is in a {@link RowPlan} and prints a {@link Row} a line: so `npm run bench:all` runs every such file.
 */
export async function runBench(fileUrl: string, comparisons: readonly Comparison[]): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      only: { type: "string" },
      measure: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  if (values.measure !== undefined) return measureOne(comparisons, values.measure);
  preferMe();
  const chosen = comparisons.filter(
    ({ title, rows = [] }) => title.includes(values.only ?? "") && (!values.json || rows.length > 0),
  );
  if (chosen.some(({ isInstalled: needsProgram }) => needsProgram)) installProgram();
  if (!values.json) console.log(`${describeMachine()}\n`);
  for (const whole of chosen) {
    const comparison = values.json ? onlyRows(whole) : whole;
    const results = runRounds(fileUrl, comparison, Number(values.rounds ?? 5));
    if (values.json) {
      const bench = basename(fileURLToPath(fileUrl), ".ts");
      for (const plan of comparison.rows ?? []) console.log(JSON.stringify(toRow(bench, plan, results)));
      continue;
    }
    console.log(toTable(comparison, results));
    if (comparison.summary === undefined) continue;
    console.log(
      comparison.summary((subject, figure) => {
        const rounds = listValues(results.get(subject) ?? [], figure);
        return rounds.length === 0 ? undefined : median(rounds);
      }),
    );
  }
}

/** Microseconds a call: the median over 500 ms of batches of 5 ms, after 250 ms of warming up. */
export async function timeCalls(call: () => unknown): Promise<number> {
  const once = async (calls: number): Promise<number> => {
    const start = performance.now();
    for (let done = 0; done < calls; done++) await call();
    return performance.now() - start;
  };
  let batch = 1;
  for (const end = performance.now() + 250; performance.now() < end; ) {
    const ms = await once(batch);
    batch = Math.max(1, Math.round((batch * 5) / Math.max(ms, 0.05)));
  }
  const times: number[] = [];
  for (const end = performance.now() + 500; performance.now() < end; )
    times.push((await once(batch)) / batch);
  return median(times) * 1000;
}

/** A peer's module. Its types are not to be had where it is not installed, so the caller says what it uses. */
export async function importPeer<Module>(specifier: string): Promise<Module> {
  return (await import(specifier)) as Module;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

function onlyRows(comparison: Comparison): Comparison {
  const named = new Set((comparison.rows ?? []).flatMap(({ ours, floor, peer }) => [ours, floor, peer]));
  const unknown = [...named].find(
    (name) => name !== undefined && !comparison.subjects.some((subject) => subject.name === name),
  );
  if (unknown !== undefined) throw new Error(`"${comparison.title}" has no subject "${unknown}"`);
  return { ...comparison, subjects: comparison.subjects.filter(({ name }) => named.has(name)) };
}

function toRow(bench: string, plan: RowPlan, results: ReadonlyMap<string, readonly Figures[]>): Row {
  const find = (name: string | undefined): number | undefined => {
    const values = listValues(results.get(name ?? "") ?? [], plan.figure);
    return values.length === 0 ? undefined : median(values);
  };
  const [oursValue, floorValue, peerValue] = [find(plan.ours), find(plan.floor), find(plan.peer)];
  if (oursValue === undefined) throw new Error(`"${plan.ours}" has no figure "${plan.figure}"`);
  return {
    bench,
    ...plan,
    oursValue,
    ...(floorValue !== undefined && { floorValue, toFloor: oursValue / floorValue }),
    ...(peerValue !== undefined && { peerValue, toPeer: oursValue / peerValue }),
  };
}

async function measureOne(comparisons: readonly Comparison[], key: string): Promise<void> {
  const subject = comparisons.flatMap(({ title, subjects }) =>
    subjects.filter(({ name }) => key === `${title}/${name}`),
  )[0];
  if (subject === undefined) throw new Error(`Cannot measure "${key}": there is no such subject`);
  process.stdout.write(JSON.stringify(await subject.measure()));
  process.exit(0); // A peer may hold the process open.
}

/** Other programs disturb less, where this user may say so. The processes that measure inherit it, with all their threads. */
function preferMe(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {} // Not root: the figures are noisier.
}

function runRounds(fileUrl: string, comparison: Comparison, rounds: number): Map<string, Figures[]> {
  const { title, nodeFlags = [], subjects } = comparison;
  const present = subjects.filter(({ peer }) => peer === undefined || isInstalled(peer));
  const results = new Map<string, Figures[]>(present.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name } of round % 2 === 0 ? present : present.toReversed()) {
      if (process.argv.includes("--json"))
        process.stderr.write(`${title}, round ${round + 1} of ${rounds}: ${name}\n`);
      const args = [...nodeFlags, fileURLToPath(fileUrl), "--measure", `${title}/${name}`];
      const { status, stdout } = spawnSync(process.execPath, args, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      });
      if (status !== 0) throw new Error(`Cannot measure "${name}": its process ended with ${status}`);
      results.get(name)?.push(JSON.parse(stdout) as Figures);
    }
  }
  return results;
}

function toTable({ title, subjects }: Comparison, results: ReadonlyMap<string, readonly Figures[]>): string {
  const [reference] = results.values();
  const columns = Object.keys(reference?.[0] ?? {});
  const lines = [`### ${title}`, "", row(["", ...columns]), row(["---", ...columns.map(() => "---:")])];
  for (const { name, peer } of subjects) {
    const rounds = results.get(name);
    if (rounds === undefined) {
      lines.push(row([name, `passed over: ${peer} is not installed (\`cd bench && npm ci\`)`]));
      continue;
    }
    const cells = columns.map((column) =>
      toCell(listValues(rounds, column), listValues(reference ?? [], column)),
    );
    lines.push(row([name, ...cells]));
  }
  return `${lines.join("\n")}\n`;
}

function toCell(values: readonly number[], reference: readonly number[]): string {
  if (values.length === 0) return "";
  const middle = median(values);
  const range = `${round(Math.min(...values))} to ${round(Math.max(...values))}`;
  const ratio =
    values === reference || reference.length === 0 ? "" : `, ×${round(middle / median(reference))}`;
  return `**${round(middle)}** (${range})${ratio}`;
}

function listValues(rounds: readonly Figures[], column: string): number[] {
  return rounds.flatMap((figures) => figures[column] ?? []);
}

export function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** One that is only a program has nothing to import. */
export function isInstalled(peer: string): boolean {
  try {
    return findPackageJSON(peer, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

export function describeMachine(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}, ${process.platform}`;
}
