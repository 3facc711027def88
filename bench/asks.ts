import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Snapshots } from "../src/host/index.ts";
import {
  countAskedLines,
  dangerousCommands,
  everydayCommands,
  plantCanary,
  plantProject,
  programsOfAsks,
} from "../test/support/ask-counts.ts";
import { openCommandGate } from "../test/support/command-gate.ts";
import {
  countLabelled,
  type JudgedCommand,
  judgeLabelled,
  programsNamed,
  readLabelled,
} from "../test/support/labelled-commands.ts";

const usage = `Usage: npm run bench:asks [-- --data DIR [--list]] [--json]
  How many commands ask, and what a snapshot costs.
  --data DIR  instead, the commands of a folder's .jsonl files: {"command": "…", "expect": "allow" | "deny"} a line
  --list      names the allowed ones that ask, with the reason, and the denied ones that don't
  --json      prints JSON`;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** The same lines at 9d92146, before commands could be undone. */
const before: Readonly<Record<string, { readonly sandbox: number; readonly none: number }>> = {
  looks: { sandbox: 10, none: 29 },
  project: { sandbox: 30, none: 30 },
  changes: { sandbox: 9, none: 15 },
  network: { sandbox: 6, none: 7 },
  loses: { sandbox: 8, none: 9 },
};

interface Row {
  readonly group: string;
  readonly lines: number;
  readonly before?: { readonly sandbox: number; readonly none: number };
  readonly sandbox: number;
  readonly projectYes: number;
  readonly none: number;
}

async function countAsked(
  corpora: Readonly<Record<string, readonly string[]>>,
  plant: (folder: string) => void,
): Promise<Row[]> {
  const gate = openCommandGate({ plant, programs: programsOfAsks, undo: true });
  const rows: Row[] = [];
  for (const [group, lines] of Object.entries(corpora)) {
    const { sandbox, projectYes, none } = await countAskedLines(lines, gate);
    rows.push({
      group,
      lines: lines.length,
      ...(before[group] !== undefined && { before: before[group] }),
      sandbox: sandbox.length,
      projectYes: projectYes.length,
      none: none.length,
    });
  }
  await gate[Symbol.asyncDispose]();
  return rows;
}

/** Milliseconds for the first snapshot of a folder of 10,000 files, and the median of those where nothing changed. */
async function timeSnapshots(): Promise<{ readonly first: number; readonly unchanged: number }> {
  const base = mkdtempSync(join(tmpdir(), "haft-bench-asks-"));
  const folder = join(base, "work");
  for (let at = 0; at < 100; at++) {
    mkdirSync(join(folder, `f${at}`), { recursive: true });
    for (let file = 0; file < 100; file++)
      writeFileSync(join(folder, `f${at}/${file}.ts`), `export const a = "${at} ${file}";\n`.repeat(40));
  }
  const snapshots = new Snapshots({ folder: join(base, "snapshots"), maxMs: 120_000 });
  const times: number[] = [];
  for (let run = 0; run < 22; run++) {
    const start = performance.now();
    const taken = await snapshots.take(folder);
    if (typeof taken === "string") throw new Error(taken);
    times.push(performance.now() - start);
  }
  rmSync(base, { recursive: true });
  const [first = 0, , ...rest] = times;
  rest.sort((a, b) => a - b);
  return { first, unchanged: rest[rest.length >> 1] ?? 0 };
}

async function countOwn(): Promise<void> {
  const everyday = await countAsked(everydayCommands(), plantProject);
  const dangerous = await countAsked(dangerousCommands(), plantCanary);
  const snapshots = await timeSnapshots();
  if (values.json) console.log(JSON.stringify({ everyday, dangerous, snapshots }, null, 2));
  else {
    console.log("Asked of everyday commands; before in brackets");
    console.table(
      Object.fromEntries(
        everyday.map(({ group, lines, before: then, sandbox, projectYes, none }) => [
          group,
          {
            lines,
            "in the sandbox": `${sandbox} (${then?.sandbox})`,
            "after the yes to the project": projectYes,
            "no sandbox": `${none} (${then?.none})`,
          },
        ]),
      ),
    );
    console.log("Dangerous commands that run unasked");
    console.table(
      Object.fromEntries(
        dangerous.map(({ group, lines, sandbox, projectYes, none }) => [
          group,
          {
            lines,
            "in the sandbox": lines - sandbox,
            "after the yes": lines - projectYes,
            "no sandbox": lines - none,
          },
        ]),
      ),
    );
    console.log(
      `A snapshot of 10,000 files: the first ${snapshots.first.toFixed(0)} ms, unchanged ${snapshots.unchanged.toFixed(1)} ms`,
    );
  }
}

async function countData(folder: string): Promise<void> {
  const commands = readLabelled(folder);
  const programs = [...programsOfAsks, ...programsNamed(commands)];
  await using gate = openCommandGate({ plant: plantProject, programs, undo: true });
  const judged = await judgeLabelled(commands, gate);
  const counts = countLabelled(judged);
  if (values.json) {
    console.log(JSON.stringify({ counts, ...(values.list && { judged }) }, null, 2));
    return;
  }
  console.table(
    Object.fromEntries(
      counts.map(({ file, allowed, asked, denied, unasked }) => [
        file,
        {
          allowed,
          "ask in the sandbox": asked.sandbox,
          "after the yes": asked.projectYes,
          "no sandbox": asked.none,
          denied,
          "run in the sandbox": unasked.sandbox,
          "run after the yes": unasked.projectYes,
          "run without": unasked.none,
        },
      ]),
    ),
  );
  if (values.list) for (const one of judged) tellSurprise(one);
}

/** An allowed command that asks in the sandbox, or a denied one that runs somewhere. */
function tellSurprise({ file, command, expect, sandbox, projectYes, none, reasons }: JudgedCommand): void {
  if (expect === "allow" ? !sandbox : sandbox && projectYes && none) return;
  console.log(`${expect === "allow" ? "ASKS" : "RUNS"} ${file} ${JSON.stringify(command)}`);
  for (const reason of reasons) console.log(`     ${reason}`);
}

if (values.help) console.log(usage);
else if (values.data === undefined) await countOwn();
else
  try {
    await countData(values.data);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 1;
  }
