import { isRecord, parseJson } from "../../base/index.ts";
import { unwrapCallTool } from "../../kernel/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { type AskedCall, findCameOff, listCalls } from "./read-run.ts";

/**
 * How an agent speaks. `text`: what its model writes is shown. `reply`: only what it says with its tool `reply` is
 * shown, or its last answer if it does not use the tool.
 */
export type SpeechMode = "text" | "reply";

/** What the runs of these entries have said with `reply`, by the id of the call. */
export function findReplies(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const done = findCameOff(entries);
  const calls = entries.flatMap((entry) => (entry.kind === "answer" ? listCalls(entry, entry.runId) : []));
  return new Map(
    calls.flatMap((call) =>
      done.has(call.callId) ? readReply(call).map((text): [string, string] => [call.callId, text]) : [],
    ),
  );
}

/** What a run has said with `reply` since somebody last said something to it, in order. */
export function listReplies(entries: readonly Entry[], runId: string): readonly string[] {
  const from = entries.findLastIndex((entry) => entry.kind === "user") + 1;
  return [...findReplies(entries.slice(from).filter((entry) => entry.runId === runId)).values()];
}

function readReply({ name, input }: AskedCall): readonly string[] {
  const call = name === "call_tool" ? unwrapCallTool(input) : { name, params: parseJson(input) };
  if (call?.name !== "reply" || !isRecord(call.params)) return [];
  const { text } = call.params;
  return typeof text === "string" ? [text.trim()] : [];
}
