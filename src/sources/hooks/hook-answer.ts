import { cutHead, getErrorMessage, isRecord, oneLine } from "../../base/index.ts";
import type { ProcessResult } from "../../host/index.ts";

/** What a hook said of a call. */
export interface HookAnswer {
  /** Why the call must not be made, or its result not be shown. */
  readonly block?: string;
  /** The arguments that a `pre_tool` hook puts in place of the call's own. */
  readonly modifiedInput?: unknown;
  /** The result that a `post_tool` hook puts in place of the tool's own. */
  readonly modifiedOutput?: unknown;
}

const longestMessage = 1000;

/**
 * Reads a hook's answer from its exit code: 0 agrees, 1 blocks, anything else is a failure. What it writes is
 * its answer where that begins with `{`, and is read by nobody else otherwise.
 * @throws {Error} if it failed, or its answer is none.
 */
export function readAnswer({ exitCode, signal, stdout, stderr }: ProcessResult): HookAnswer {
  const said = lastLine(stderr.text);
  if (exitCode !== 0 && exitCode !== 1) {
    const end = signal === undefined ? `it ended with exit code ${exitCode}` : `${signal} ended it`;
    throw new Error(said === "" ? end : `${end}: ${said}`);
  }
  const answer = parseAnswer(stdout);
  const message = messageIn(answer);
  if (exitCode === 1 || answer?.["block"] === true) {
    return { block: message ?? (said || plainText(stdout.text) || "it gave no reason") };
  }
  if (answer === undefined) return {};
  return {
    ...(answer["modified_input"] !== undefined && { modifiedInput: answer["modified_input"] }),
    ...(answer["modified_output"] !== undefined && { modifiedOutput: answer["modified_output"] }),
  };
}

const answerKeys = new Set(["block", "message", "modified_input", "modified_output"]);

function parseAnswer({ text, omittedBytes }: ProcessResult["stdout"]): Record<string, unknown> | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return undefined;
  if (omittedBytes > 0) throw new Error("its answer is too long; the most is 16 MiB");
  const answer = parseOrThrow(trimmed);
  const unknown = Object.keys(answer).find((key) => !answerKeys.has(key));
  // A misspelt "block" must not pass for a yes.
  if (unknown !== undefined)
    throw new Error(
      `its answer has the key "${cutHead(oneLine(unknown), 50)}"; known are ${[...answerKeys].join(", ")}`,
    );
  if (answer["block"] !== undefined && typeof answer["block"] !== "boolean")
    throw new Error(`"block" of its answer is neither true nor false`);
  return answer;
}

function parseOrThrow(text: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new Error(`its answer is not JSON: ${getErrorMessage(error)}`);
  }
  if (isRecord(answer)) return answer;
  throw new Error("its answer is not a JSON object");
}

function messageIn(answer: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const message = answer?.["message"];
  return typeof message === "string" && message.trim() !== ""
    ? cutHead(oneLine(message), longestMessage)
    : undefined;
}

function plainText(text: string): string {
  return text.trim().startsWith("{") ? "" : lastLine(text);
}

function lastLine(text: string): string {
  return cutHead(oneLine(text.trim().split("\n").at(-1) ?? ""), longestMessage);
}
