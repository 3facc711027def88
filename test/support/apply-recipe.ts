import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A page of docs/recipes/: what it does to a copy of the repository, and the commands that pass after it. */
export interface Recipe {
  readonly page: string;
  readonly steps: readonly Step[];
  readonly commands: readonly string[];
}

/** A block of a recipe. One that begins with a file's path makes that file, or changes it where its language is `diff`. */
interface Step {
  readonly line: number;
  readonly path: string;
  readonly isChange: boolean;
  readonly lines: readonly string[];
}

/** @throws {Error} for a block that says neither which file it is about nor which commands to run */
export function readRecipe(page: string): Recipe {
  const lines = readFileSync(page, "utf8").split("\n");
  const steps: Step[] = [];
  const commands: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( *)```(\w+) ?(\S*)$/.exec(lines[at] as string);
    if (fence === null) continue;
    const [, indent = "", language, path = ""] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at);
    const block = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    if (language === "sh") commands.push(...block);
    else if (path === "") throw new Error(`Cannot read ${page}:${at + 1}: the block names no file`);
    else steps.push({ line: at + 1, path, isChange: language === "diff", lines: block });
    at = end;
  }
  return { page, steps, commands };
}

/**
 * Does what a recipe says, in the order of its blocks.
 *
 * @throws {Error} where a file is there already, or a line that a change stands beside is not in it exactly once
 */
export function applyRecipe({ page, steps }: Recipe, root: string): void {
  for (const { line, path, isChange, lines } of steps) {
    const file = join(root, path);
    try {
      if (isChange) writeFileSync(file, changeText(readFileSync(file, "utf8"), lines));
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `${lines.join("\n")}\n`, { flag: "wx" });
      }
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`Cannot follow ${page}:${line} in ${path}: ${why}`, { cause });
    }
  }
}

/** Applies changes that are separated by `@@`. The context and removed lines of each stand in the text exactly once. */
export function changeText(text: string, diff: readonly string[]): string {
  let lines = text.split("\n");
  for (const change of diff.join("\n").split("\n@@\n")) {
    const side = (left: string) =>
      change.split("\n").flatMap((line) => (line[0] === left ? [] : [line.slice(1)]));
    const [before, after] = [side("+"), side("-")];
    const found = lines.flatMap((_, at) =>
      before.every((line, index) => lines[at + index] === line) ? [at] : [],
    );
    const [at] = found;
    if (at === undefined || found.length > 1)
      throw new Error(`these lines are in it ${found.length} times, not once:\n${before.join("\n")}`);
    lines = lines.toSpliced(at, before.length, ...after);
  }
  return lines.join("\n");
}
