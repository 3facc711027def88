import { cutHead, cutTail, formatBytes } from "../../base/index.ts";
import type { ProcessOutput, ProcessResult, SandboxLevel } from "../../host/index.ts";
import { ToolContent } from "../../kernel/index.ts";
import { sandboxHints } from "./sandbox-hints.ts";

/** What `bash` returns as data. */
export interface BashResult {
  /** The output, together with `stderr` at most 16,000 characters of JSON: beginning and end of a longer one, which `text` has whole. */
  readonly stdout: string;
  readonly stderr: string;
  /** 128 and the signal's number for a command that a signal ended. */
  readonly exit_code: number;
  readonly signal?: string;
  /** `stdout` or `stderr` above is not all of it. */
  readonly truncated?: true;
  /** Background processes that were stopped when the command ended. */
  readonly background_stopped?: number;
  /** How the command was kept in; `outside` where that was decided. */
  readonly sandbox: SandboxLevel | "outside";
}

export interface BashContentOptions {
  /** The command ran without the sandbox, as was decided. */
  readonly unconfined: boolean;
}

/** Both together as JSON stay within the usual limit of an output, so that the text is what gets cut. */
const dataChars = 16_000;

/** A command's outcome as a model reads it best, and as data. */
export function toBashContent(result: ProcessResult, options: BashContentOptions): ToolContent {
  const text = toText(result);
  return new ToolContent([{ type: "text", text }], toData(result, options), undefined, { textIsWhole: true });
}

function toData(
  { stdout, stderr, exitCode, signal, leftBehind, confinement }: ProcessResult,
  { unconfined }: BashContentOptions,
): BashResult {
  const fits = jsonFits(stdout.text + stderr.text, dataChars - 2);
  return {
    stdout: fits ? stdout.text : excerpt(stdout.text),
    stderr: fits ? stderr.text : excerpt(stderr.text),
    exit_code: exitCode,
    ...(signal !== undefined && { signal }),
    ...((!fits || stdout.omittedBytes + stderr.omittedBytes > 0) && { truncated: true }),
    ...(leftBehind > 0 && { background_stopped: leftBehind }),
    sandbox: unconfined ? "outside" : (confinement?.level ?? "process-group"),
  };
}

function excerpt(text: string): string {
  if (jsonFits(text, dataChars / 2)) return text;
  const head = cutHead(text, jsonRoom(cutHead(text, dataChars / 4)));
  const tail = cutTail(text, jsonRoom(cutTail(text, dataChars / 4)));
  return `${head}\n[${text.length - head.length - tail.length} characters left out here]\n${tail}`;
}

/** Says of a text of any length, without a copy of a long one. */
function jsonFits(text: string, most: number): boolean {
  return text.length <= most && jsonChars(text) <= most;
}

/** How many characters of this end of a text a quarter of the data has room for, beside what says that something is left out. */
function jsonRoom(end: string): number {
  return (dataChars / 4) * Math.min(1, end.length / jsonChars(end)) - 50;
}

/** The length of a text in JSON, where a line break takes two characters and a control character six. */
function jsonChars(text: string): number {
  return JSON.stringify(text).length;
}

function toText(result: ProcessResult): string {
  const { stdout, stderr } = result;
  const parts: string[] = [];
  if (stdout.text !== "") parts.push(withoutLastBreak(stdout.text));
  if (stderr.text !== "") parts.push(`[stderr]\n${withoutLastBreak(stderr.text)}`);
  if (parts.length === 0) parts.push("(no output)");
  return [...parts, ...remarks(result), ...sandboxHints(result)].join("\n");
}

function* remarks({
  stdout,
  stderr,
  exitCode,
  signal,
  leftBehind,
  remaining,
}: ProcessResult): Generator<string> {
  const lossy = outputsThat({ stdout, stderr }, (output) => output.lossy);
  // A gate that cuts the text keeps its end, and says of the rest that it has it whole.
  for (const [name, { omittedBytes, totalBytes }] of Object.entries({ stdout, stderr })) {
    if (omittedBytes > 0)
      yield `[${name}: ${formatBytes(omittedBytes)} of ${formatBytes(totalBytes)} were left out of its middle and kept nowhere: let the command write it to a file, or print less]`;
  }
  if (lossy !== undefined) yield `[${lossy}: bytes that are not UTF-8 stand as \ufffd]`;
  if (leftBehind > 0)
    yield `[stopped ${count(leftBehind)} still running in the background: nothing outlives its call]`;
  if (remaining > 0) yield `[could not stop ${count(remaining)} of another user]`;
  if (signal !== undefined) yield `[ended by ${signal}, exit code ${exitCode}]`;
  else if (exitCode !== 0) yield `[exit code ${exitCode}]`;
}

function outputsThat(
  outputs: Readonly<Record<string, ProcessOutput>>,
  is: (output: ProcessOutput) => boolean,
): string | undefined {
  const names = Object.keys(outputs).filter((name) => is(outputs[name] as ProcessOutput));
  return names.length === 0 ? undefined : names.join(" and ");
}

function count(processes: number): string {
  return processes === 1 ? "a process" : `${processes} processes`;
}

function withoutLastBreak(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
