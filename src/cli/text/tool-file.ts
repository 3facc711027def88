import { relative } from "node:path";
import { cutHead, showInvisible } from "../../base/index.ts";
import type { ExampleResult, FileProblem } from "../../sources/index.ts";
import type { Terminal } from "../terminal.ts";

/** One line a problem, as editors read it: `file:line:column code message`. */
export function renderProblems(
  problems: readonly FileProblem[],
  { files, folder }: { readonly files: number; readonly folder: string },
  terminal: Terminal,
): string {
  const lines = problems.map(({ where, line, column, code, message, level }) => {
    const place = [shortPath(where, folder), line, column].filter((part) => part !== undefined).join(":");
    const kind = terminal.paint(level === "error" ? "red" : "yellow", level);
    return `${showInvisible(place)}: ${kind} ${code} ${showInvisible(message).replaceAll("\n", " ")}\n`;
  });
  const errors = problems.filter(({ level }) => level === "error").length;
  const counts = `${count(files, "file")}, ${count(errors, "error")}, ${count(problems.length - errors, "warning")}`;
  return [...lines, `${terminal.paint(errors === 0 ? "green" : "red", counts)}\n`].join("");
}

/** A path within the folder is shown from there. */
function shortPath(path: string, folder: string): string {
  const within = relative(folder, path);
  return within.startsWith("..") ? path : within;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** Each example, with its place and what came instead where it failed, then the count. */
export function renderExamples(
  results: readonly ExampleResult[],
  folder: string,
  terminal: Terminal,
): string {
  const lines = results.map(({ tool, example, passed, fault, where, line }) => {
    const mark = passed ? terminal.paint("green", "ok    ") : terminal.paint("red", "FAILED");
    const why = passed
      ? ""
      : `\n        ${showInvisible(cutHead(fault ?? "", 4000)).replaceAll("\n", "\n        ")}`;
    const place = passed ? "" : ` (${[shortPath(where, folder), line].filter(Boolean).join(":")})`;
    return `${mark}  ${tool}: ${showInvisible(example + place)}${why}\n`;
  });
  const failed = results.filter(({ passed }) => !passed).length;
  const total = `${results.length - failed} of ${results.length} examples passed`;
  return [...lines, `${terminal.paint(failed === 0 ? "green" : "red", total)}\n`].join("");
}
