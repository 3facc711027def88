import { parse } from "unbash";
import { showInvisible } from "../../../base/index.ts";
import type { CommandAnalysis } from "./analysis.ts";
import { Collector } from "./collector.ts";
import type { Surroundings } from "./surroundings.ts";
import { readScript } from "./syntax/read-script.ts";

/**
 * What bash and the parser read differently: a substitution glued to a word (`1<(…)`), and a break within a word or an
 * operator (`<<\⏎-END`, `$\⏎x`). One that only goes on after a blank is read alike.
 */
const misread = /[^\s;&|()<>`][<>]\(|\S\\\r?\n/;

/**
 * Reads a command line as bash would, and lists all that would run: every command of lists, pipelines, compounds,
 * functions and substitutions, and what shells and wrappers among them start. What can't be known before the line
 * runs is a part that says so. Never throws; takes time in proportion to the line, and has no limit on parts.
 */
export function analyseCommand(line: string): CommandAnalysis {
  const collector = new Collector(line);
  // Shells and people see them differently: a blank that is none, or a break that does not show.
  if (showInvisible(line) !== line)
    collector.addOpaque(line, "it holds characters that are not what they look like");
  if (misread.test(line)) collector.addOpaque(line, "bash may read it otherwise than it looks");
  try {
    enter(line, { collector, source: line, depth: 0, wrapped: 0, unordered: false, fed: false, enter });
  } catch {
    collector.addOpaque(line, "it can't be parsed");
  }
  return collector.toAnalysis();
}

function enter(script: string, around: Surroundings): void {
  readScript(parse(script), { ...around, source: script });
}
