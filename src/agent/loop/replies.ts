import { isRecord, parseJson } from "../../base/index.ts";
import { unwrapCallTool } from "../../kernel/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { type AskedCall, listCalls } from "./read-run.ts";

/**
 * How an agent speaks. `text`: what its model writes is shown. `reply`: only what it says with its tool `reply` is
 * shown, or its last answer if it does not use the tool.
 */
export type SpeechMode = "text" | "reply";

/** What a run has said with `reply` since somebody last said something to it, in order. */
export function listReplies(entries: readonly Entry[], runId: string): readonly string[] {
  const from = entries.findLastIndex((entry) => entry.kind === "user") + 1;
  const since = entries.slice(from).filter((entry) => entry.runId === runId);
  const done = new Set(
    since.flatMap((entry) => (entry.kind === "result" && !entry.failed ? [entry.callId] : [])),
  );
  return since
    .flatMap((entry) => (entry.kind === "answer" ? listCalls(entry, runId) : []))
    .flatMap((call) => (done.has(call.callId) ? readReply(call) : []));
}

function readReply({ name, input }: AskedCall): readonly string[] {
  const call = name === "call_tool" ? unwrapCallTool(input) : { name, params: parseJson(input) };
  if (call?.name !== "reply" || !isRecord(call.params)) return [];
  const { text } = call.params;
  return typeof text === "string" ? [text.trim()] : [];
}
