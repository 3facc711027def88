import { isRecord, parseJson } from "../../base/index.ts";
import type { ResultEntry } from "../../modules/sessions/index.ts";

/** Longest part of a call's arguments and results that its line shows. */
const shownChars = 200;

/** One line for a call that begins: its tool, and its arguments in short. */
export function describeCall(name: string, input: string): string {
  return `→ ${name} ${shorten(describeArguments(input))}`.trimEnd();
}

/** A single text argument as it is; anything else as the JSON that the model wrote. */
function describeArguments(input: string): string {
  const given = parseJson(input);
  if (!isRecord(given)) return input;
  const values = Object.values(given);
  const [only] = values;
  if (values.length === 1 && typeof only === "string" && only !== "") return only;
  return values.length === 0 ? "" : input;
}

/**
 * One line for a call that has ended. A command with an exit code other than 0 counts as failed, although its call
 * succeeded.
 */
export function describeCallEnd(result: ResultEntry): { readonly line: string; readonly failed: boolean } {
  const { name, failed, exitCode = 0 } = result;
  const code = !failed && exitCode !== 0 ? ` (exit code ${exitCode})` : "";
  const said = shorten(withoutRemarks(result));
  const hasFailed = failed || exitCode !== 0;
  return {
    line: `${hasFailed ? "✗" : "✓"} ${name}${code}${said === "" ? "" : `: ${said}`}`,
    failed: hasFailed,
  };
}

const exitRemark = /^\[exit code \d+\]$/gm;
const leftOut = /\[… ([\d,]+) of ([\d,]+) characters left out here; .*? …\]/g;

/** The text of a result without notes and remarks that are meant for a model. */
function withoutRemarks({ text, notesLength = 0 }: ResultEntry): string {
  return text
    .slice(notesLength)
    .replaceAll(exitRemark, "")
    .replaceAll(leftOut, "[… $1 of $2 characters are not shown …]");
}

function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= shownChars ? line : `${line.slice(0, shownChars)}…`;
}
