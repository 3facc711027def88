import { resolve } from "node:path";
import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../agent/index.ts";
import { cutHead, isRecord, parseJson } from "../../base/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";

/** What updates need of a session. */
export interface UpdateContext {
  readonly folder: string;
  /** The most tokens of a request to the model; undefined if that is not known. */
  readonly contextTokens: number | undefined;
  /** Micro-USD spent in the session so far. */
  readonly costMicros: number;
}

/** The updates that tell a client of an event. */
export function toUpdates(event: AgentEvent, context: UpdateContext): readonly SessionUpdate[] {
  switch (event.type) {
    case "answer.text":
      return [chunk("agent_message_chunk", event.delta)];
    case "reply":
      return [chunk("agent_message_chunk", event.text)];
    case "answer.reasoning":
      return [chunk("agent_thought_chunk", event.delta)];
    // A client can't take back what it has shown.
    case "answer.withdrawn":
      return [chunk("agent_thought_chunk", `The text of this answer so far does not count: ${event.why}`)];
    case "request.retried":
      return [chunk("agent_thought_chunk", `${event.why}; trying again in ${event.waitMs} ms`)];
    case "call.began": {
      const { callId: toolCallId, name, input } = event;
      return [
        { sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...describe(name, input, context) },
      ];
    }
    case "call.ended": {
      const { failed, text } = event.result;
      const status = failed ? "failed" : "completed";
      return [
        { sessionUpdate: "tool_call_update", toolCallId: event.callId, status, content: [toContent(text)] },
      ];
    }
    case "call.parked": {
      const content = [toContent(`It waits for ${event.waitFor}: \`haft approvals\` answers questions`)];
      return [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "pending", content }];
    }
    case "answer.ended":
      return toUsage(event.usage.inputTokens + event.usage.outputTokens, context);
    case "run.began":
    case "run.ended":
    case "step.began":
    case "call.updated":
    case "compacted":
    case "message.taken":
    case "note":
      return [];
    default:
      return event satisfies never;
  }
}

/** The updates that tell a client what was said before it came. */
export function replay(entries: readonly Entry[], context: UpdateContext): readonly SessionUpdate[] {
  return entries.flatMap((entry): readonly SessionUpdate[] => {
    if (entry.kind === "user")
      return entry.parts.map((part) =>
        part.type === "text"
          ? chunk("user_message_chunk", part.text)
          : { sessionUpdate: "user_message_chunk", content: part },
      );
    if (entry.kind === "result") {
      const { callId, failed, text } = entry;
      return toUpdates({ type: "call.ended", callId, result: { ...entry, failed, text } }, context);
    }
    if (entry.kind !== "answer") return [];
    let position = 0;
    return entry.message.parts.flatMap((part): readonly SessionUpdate[] => {
      if (part.type === "text") return [chunk("agent_message_chunk", part.text)];
      if (part.type !== "call") return part.text === "" ? [] : [chunk("agent_thought_chunk", part.text)];
      const callId = `${entry.runId}.${entry.step}.${++position}`;
      return toUpdates({ type: "call.began", callId, name: part.name, input: part.input }, context);
    });
  });
}

export function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

export function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** The title, kind, arguments and files of a call, as clients show them. */
function describe(
  name: string,
  input: string,
  { folder }: Pick<UpdateContext, "folder">,
): { title: string; kind: ToolKind; rawInput: unknown; locations?: { path: string }[] } {
  const given = parseJson(input);
  const { path, command, pattern, url, query } = isRecord(given) ? given : {};
  const about = [path, command, pattern, url, query].find((one) => typeof one === "string");
  const title = typeof about === "string" ? `${name} ${cutHead(about, mostTitleChars)}` : name;
  return {
    title,
    kind: kinds[name] ?? "other",
    rawInput: given ?? input,
    ...(typeof path === "string" && { locations: [{ path: resolve(folder, path) }] }),
  };
}

const mostTitleChars = 120;

const kinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  read_file: "read",
  listdir: "read",
  list_directory: "read",
  write: "edit",
  write_file: "edit",
  edit: "edit",
  edit_file: "edit",
  grep: "search",
  glob: "search",
  glob_files: "search",
  search_files: "search",
  bash: "execute",
  run_command: "execute",
  fetch: "fetch",
  web_fetch: "fetch",
  web_search: "fetch",
};

function toUsage(used: number, { contextTokens, costMicros }: UpdateContext): readonly SessionUpdate[] {
  if (contextTokens === undefined) return [];
  const cost = costMicros === 0 ? {} : { cost: { amount: costMicros / 1_000_000, currency: "USD" } };
  return [{ sessionUpdate: "usage_update", used, size: contextTokens, ...cost }];
}
