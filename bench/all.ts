import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { describeMachine, type Row, round } from "./harness.ts";
import { installProgram } from "./program.ts";

const usage = `Usage: npm run bench:all [-- --only NAME] [--rounds N] [--json] [--check]
  Runs every bench and writes the table of bench/README.md.
  --only NAME  this bench alone; may be given again; the other rows stay
  --rounds N   how often each subject is measured (default 3)
  --json       prints a JSON line a row, and writes nothing
  --check      measures nothing: lists the rows whose sources have changed since, and leaves with 1 if there are any`;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const page = join(import.meta.dirname, "README.md");
const marks = ["<!-- figures: written by `npm run bench:all` -->\n", "<!-- end of figures -->"] as const;
const heads = ["Bench", "What", "haft", "Floor", "÷ floor", "Peer", "÷ peer", "Reach", "Sources", "Commit"];

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" }).trim();
}

/** The files that are benches: those that call `runBench`. */
function listBenches(): string[] {
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".ts") && !["all.ts", "harness.ts"].includes(name))
    .filter((name) => readFileSync(join(import.meta.dirname, name), "utf8").includes("await runBench("))
    .map((name) => name.slice(0, -3))
    .toSorted();
}

/** One bench in a process of its own; an interrupt of this process ends it, with all that it started. */
async function measure(bench: string): Promise<Row[]> {
  const args = [join(import.meta.dirname, `${bench}.ts`), "--json", "--rounds", values.rounds];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
  const interrupt = () => {
    process.kill(-(child.pid as number), "SIGKILL");
    process.exit(130);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, interrupt);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const rows: Row[] = [];
  for await (const line of createInterface({ input: child.stdout })) rows.push(JSON.parse(line) as Row);
  const code = await ended;
  for (const signal of signals) process.off(signal, interrupt);
  if (code !== 0) {
    process.stderr.write(`${bench}: ended with ${code}; its rows that are missing are not measured\n`);
    process.exitCode = 1;
  }
  return rows;
}

/** The table as it stands: the cells of each row. */
function readTable(): string[][] {
  const text = readFileSync(page, "utf8").split(marks[0])[1]?.split(marks[1])[0] ?? "";
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

function isStale(cells: readonly string[]): boolean {
  const [sources = "", commit = ""] = cells.slice(-2);
  const paths = sources.replaceAll("`", "").split(", ");
  try {
    return git("log", "--format=%h", `${commit}..HEAD`, "--", ...paths.map(toPathspec), ...tests) !== "";
  } catch {
    return true; // There is no such commit here.
  }
}

/** From the root of the repository, whatever folder git runs in. */
const toPathspec = (path: string) => `:(top)${path}`;
const tests = [":(top,exclude)*.test.ts"];

function toCells(row: Row, commit: string): string[] {
  const show = (value: number | undefined, name: string | undefined) => {
    if (name === undefined) return "";
    const subject = name.replace(/^(floor|peer): /, "");
    return value === undefined ? `${subject}: not measured here` : `${subject}: ${round(value)}`;
  };
  const ratio = (value: number | undefined) => (value === undefined ? "" : `×${round(value)}`);
  return [
    row.bench,
    `${row.what}, ${row.figure}${row.isKernelOnly ? " (kernel only)" : ""}`,
    `**${round(row.oursValue)}**`,
    show(row.floorValue, row.floor),
    ratio(row.toFloor),
    show(row.peerValue, row.peer),
    ratio(row.toPeer),
    row.reach ?? "",
    row.paths.map((path) => `\`${path}\``).join(", "),
    commit,
  ];
}

function writeTable(rows: readonly (readonly string[])[]): void {
  const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [toLine(heads), toLine(heads.map(() => "---")), ...rows.map(toLine)].join("\n");
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(marks[0]);
  const after = rest.split(marks[1])[1] ?? "";
  const machine = `Last run: ${describeMachine()}.`;
  writeFileSync(page, `${before}${marks[0]}\n${machine}\n\n${table}\n\n${marks[1]}${after}`);
  execFileSync("npx", ["biome", "format", "--write", page], { stdio: "ignore" });
}

function tellStale(): void {
  const stale = readTable().filter(isStale);
  for (const [bench, what] of stale) console.log(`${bench}: ${what}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}

async function measureAll(): Promise<void> {
  if (!values.json && git("status", "--porcelain", "--", ":(top)src") !== "")
    throw new Error("Cannot write figures: src/ has changes that are in no commit");
  const commit = git("rev-parse", "--short", "HEAD");
  const benches = listBenches();
  const wanted = values.only ?? benches;
  const unknown = wanted.find((name) => !benches.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no bench "${unknown}"; there are ${benches.join(", ")}`);
  installProgram();
  const rows: Row[] = [];
  for (const [at, bench] of wanted.entries()) {
    process.stderr.write(`\n${bench}, ${at + 1} of ${wanted.length}\n`);
    const measured = await measure(bench);
    if (values.json) for (const row of measured) console.log(JSON.stringify(row));
    rows.push(...measured);
  }
  if (values.json) return;
  const fresh = rows.map((row) => toCells(row, commit));
  const isFresh = (cells: readonly string[]) =>
    fresh.some(([bench, what]) => bench === cells[0] && what === cells[1]);
  const kept = readTable().filter((cells) => !isFresh(cells) && !isStale(cells));
  writeTable([...kept, ...fresh].toSorted(([a = ""], [b = ""]) => a.localeCompare(b)));
}

if (values.help) console.log(usage);
else if (values.check) tellStale();
else await measureAll();
