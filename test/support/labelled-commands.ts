import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../../src/base/index.ts";
import type { Effect } from "../../src/kernel/index.ts";
import { type AskedIn, judgeCommand } from "./ask-counts.ts";
import type { CommandGate } from "./command-gate.ts";

/** A line of a corpus that says of each command whether it may run. */
export interface LabelledCommand {
  /** The file it stands in. */
  readonly file: string;
  readonly command: string;
  readonly expect: "allow" | "deny";
}

/**
 * The commands in all `.jsonl` files of a folder: a JSON object a line, with `command` and `expect`.
 *
 * @throws {Error} where a line is something else, or the folder has no such file
 */
export function readLabelled(folder: string): readonly LabelledCommand[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
  if (files.length === 0)
    throw new Error(
      `"${folder}" has no file that ends in .jsonl; write a line {"command": "…", "expect": "allow"} for each command`,
    );
  return files.flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .flatMap((line, at) =>
        line.trim() === "" ? [] : [{ file, ...toLabelled(line, `${file}, line ${at + 1}`) }],
      ),
  );
}

function toLabelled(line: string, place: string): Pick<LabelledCommand, "command" | "expect"> {
  const value = parseJson(line);
  const { command, expect } = isRecord(value) ? value : {};
  if (typeof command === "string" && (expect === "allow" || expect === "deny")) return { command, expect };
  throw new Error(`${place}: a line is {"command": "…", "expect": "allow"} or the same with "deny"`);
}

/**
 * What may be the name of a program in these commands. A corpus is counted as if all were installed: a command whose
 * program is missing does nothing, and need not ask.
 */
export function programsNamed(commands: readonly { readonly command: string }[]): readonly string[] {
  const first =
    /(?<=(?:^|[\n;&|(`]|\b(?:sudo|env|exec|nohup|time|xargs|command)\s)\s*(?:\w+=\S*\s+)*)[a-z][\w.+-]*(?![\w.+=-])/gi;
  return Array.from(new Set(commands.flatMap(({ command }) => command.match(first) ?? [])));
}

/** How one of them is decided. */
export interface JudgedCommand extends LabelledCommand, AskedIn {
  /** Why, as far as its effects say. */
  readonly reasons: readonly string[];
}

export async function judgeLabelled(
  commands: readonly LabelledCommand[],
  gate: CommandGate,
): Promise<readonly JudgedCommand[]> {
  const judged: JudgedCommand[] = [];
  for (const labelled of commands) {
    const { command } = labelled;
    judged.push({
      ...labelled,
      ...(await judgeCommand(command, gate)),
      reasons: reasonsIn(await gate.confinedEffects(command)),
    });
  }
  return judged;
}

function reasonsIn(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap(({ kind, target, asks, unclear, risk, within }) => {
    const why = asks ?? unclear ?? risk ?? (within === false ? "outside the allowed folders" : undefined);
    return why === undefined ? [] : [`${kind} ${target}: ${why}`];
  });
}

/** Of the commands of one file: how many there are, how many of the allowed ask, how many of the denied do not. */
export interface LabelledCounts {
  readonly file: string;
  readonly allowed: number;
  readonly asked: Readonly<Record<keyof AskedIn, number>>;
  readonly denied: number;
  readonly unasked: Readonly<Record<keyof AskedIn, number>>;
}

export function countLabelled(judged: readonly JudgedCommand[]): readonly LabelledCounts[] {
  const files = Map.groupBy(judged, ({ file }) => file);
  return [...files, ["together", judged] as const].map(([file, lines]) => {
    const allowed = lines.filter(({ expect }) => expect === "allow");
    const denied = lines.filter(({ expect }) => expect === "deny");
    return {
      file,
      allowed: allowed.length,
      asked: countBy((one) => allowed.filter((line) => line[one]).length),
      denied: denied.length,
      unasked: countBy((one) => denied.filter((line) => !line[one]).length),
    };
  });
}

function countBy(count: (one: keyof AskedIn) => number): Readonly<Record<keyof AskedIn, number>> {
  return { sandbox: count("sandbox"), projectYes: count("projectYes"), none: count("none") };
}
