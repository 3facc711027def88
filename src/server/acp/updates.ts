import { resolve } from "node:path";
import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import { type AgentEvent, findReplies } from "../../agent/index.ts";
import { cutHead, isRecord, parseJson } from "../../base/index.ts";
import type { ChatUsage } from "../../model/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";

const mostTitleChars = 120;

/** The kinds of tools that clients have pictures for. */
const toolKinds: readonly (readonly [ToolKind, RegExp])[] = [
  ["read", /^(read|read_file|listdir|list_directory)$/],
  ["edit", /^(write|write_file|edit|edit_file)$/],
  ["search", /^(grep|glob|glob_files|search_files)$/],
  ["execute", /^(bash|run_command)$/],
  ["fetch", /^(fetch|web_fetch|web_search)$/],
];

/** The update that tells a client of an event; undefined for an event that no client is told of. */
export function toUpdate(event: AgentEvent, folder: string): SessionUpdate | undefined {
  switch (event.type) {
    case "answer.text":
      return chunk("agent_message_chunk", event.delta);
    case "reply":
      return chunk("agent_message_chunk", event.text);
    case "answer.reasoning":
      return chunk("agent_thought_chunk", event.delta);
    // A client can't take back what it has shown.
    case "answer.withdrawn":
      return chunk("agent_thought_chunk", `The text of this answer so far does not count: ${event.why}`);
    case "request.retried":
      return chunk("agent_thought_chunk", `${event.why}; trying again in ${event.waitMs} ms`);
    case "call.began":
      return toCall(event.callId, event, folder);
    case "call.ended":
      return toResult(event.callId, event.result);
    case "call.parked": {
      const content = [toContent(`It waits for ${event.waitFor}: \`haft approvals\` answers questions`)];
      return { sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "pending", content };
    }
    case "answer.ended":
    case "run.began":
    case "run.ended":
    case "step.began":
    case "call.updated":
    case "compacted":
    case "message.taken":
    case "note":
      return undefined;
    default:
      return event satisfies never;
  }
}

/** The updates that tell a client what a stored session has. */
export function toReplay(entries: readonly Entry[], folder: string): readonly SessionUpdate[] {
  const replies = findReplies(entries);
  // An agent that speaks by `reply` has shown no other text.
  const speakers = new Set(
    entries.flatMap((entry) => (entry.kind === "result" && replies.has(entry.callId) ? [entry.runId] : [])),
  );
  return entries.flatMap((entry): readonly SessionUpdate[] => {
    if (entry.kind === "user")
      return entry.parts.map((content) => ({ sessionUpdate: "user_message_chunk", content }));
    if (entry.kind === "result") {
      const said = replies.get(entry.callId);
      const result = toResult(entry.callId, entry);
      return said === undefined ? [result] : [chunk("agent_message_chunk", said), result];
    }
    if (entry.kind !== "answer") return [];
    let position = 0;
    return entry.message.parts.flatMap((part): readonly SessionUpdate[] => {
      if (part.type === "text")
        return speakers.has(entry.runId) ? [] : [chunk("agent_message_chunk", part.text)];
      if (part.type === "call") return [toCall(`${entry.runId}.${entry.step}.${++position}`, part, folder)];
      return part.text === "" ? [] : [chunk("agent_thought_chunk", part.text)];
    });
  });
}

export function chunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

export function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** @param costMicros Micro-USD spent in the session so far. */
export function toUsage(
  { inputTokens, outputTokens }: ChatUsage,
  size: number,
  costMicros: number,
): SessionUpdate {
  const cost = { amount: costMicros / 1_000_000, currency: "USD" };
  const used = inputTokens + outputTokens;
  return { sessionUpdate: "usage_update", used, size, ...(costMicros > 0 && { cost }) };
}

function toCall(
  toolCallId: string,
  { name, input }: { readonly name: string; readonly input: string },
  folder: string,
): SessionUpdate {
  const given = parseJson(input);
  const { path, command, pattern, url, query } = isRecord(given) ? given : {};
  const about = [path, command, pattern, url, query].find((one) => typeof one === "string");
  return {
    sessionUpdate: "tool_call",
    toolCallId,
    status: "in_progress",
    title: about === undefined ? name : `${name} ${cutHead(about, mostTitleChars)}`,
    kind: toolKinds.find(([, names]) => names.test(name))?.[0] ?? "other",
    rawInput: given ?? input,
    ...(typeof path === "string" && { locations: [{ path: resolve(folder, path) }] }),
  };
}

function toResult(
  toolCallId: string,
  { failed, text }: { readonly failed: boolean; readonly text: string },
): SessionUpdate {
  const status = failed ? "failed" : "completed";
  return { sessionUpdate: "tool_call_update", toolCallId, status, content: [toContent(text)] };
}
