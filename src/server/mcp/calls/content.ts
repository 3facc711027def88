import { isRecord } from "../../../base/index.ts";
import type { ContentBlock, ToolFailure, ToolResult, ToolSuccess } from "../../../kernel/index.ts";
import { callMetaKey, modernVersions, trustMetaKey } from "../messages/protocol.ts";

/** What the form of an answer depends on. */
export interface ResultForm {
  readonly protocolVersion: string;
  /** The name by which the client called. */
  readonly name: string;
  /** The tool of that name declares what its results look like. */
  readonly hasOutputSchema: boolean;
}

/** A tool's outcome as the inside of a CallToolResult, and of its `_meta`. */
export function toCallResult(result: ToolResult, form: ResultForm): { members: string; meta: string } {
  return {
    members: result.success ? successMembers(result, form) : failureMembers(result),
    meta: `"${callMetaKey}":${callMeta(result, form)}${result.trust === "untrusted" ? `,"${trustMetaKey}":"untrusted"` : ""}`,
  };
}

/** A result with a sentence of the server's own after what the tool says. */
export function withNote(result: ToolResult, note: string | undefined): ToolResult {
  if (note === undefined) return result;
  if (!result.success) return { ...result, text: `${result.text}\n\n${note}` };
  const content = result.content ?? [{ type: "text" as const, text: result.text }];
  return { ...result, content: [...content, { type: "text", text: note }] };
}

/** What a call of a tool is answered with that was refused before it began. */
export function toRefusal(error: string): { members: string; meta: string } {
  const code = "TOOL_PERMISSION";
  return {
    members: `${textContent(`${error} [${code}]`)},"isError":true`,
    meta: `"${callMetaKey}":${JSON.stringify({ code })}`,
  };
}

function successMembers(result: ToolSuccess, form: ResultForm): string {
  const content =
    result.content === undefined
      ? textContent(result.text)
      : `"content":${JSON.stringify(result.content.map((block) => toKnownBlock(block, form.protocolVersion)))}`;
  const structured = findStructured(result, form);
  if (structured !== undefined) return `${content},"structuredContent":${structured}`;
  if (!form.hasOutputSchema || form.protocolVersion < "2025-06-18") return content;
  // Clients throw away an answer that lacks the data its tool has promised; as an error it is shown.
  return `${textContent(`The call was done, but its result is not in the form that the tool declares; as text it is:\n${result.text}`)},"isError":true`;
}

function failureMembers(result: ToolFailure): string {
  return `${textContent(result.text)},"isError":true`;
}

function textContent(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}

/** Any JSON value from 2026-07-28 on, an object from 2025-06-18 on, nothing before. A cut result has no data. */
function findStructured(result: ToolSuccess, form: ResultForm): string | undefined {
  const value: unknown = result.result;
  if (value === undefined || result.artifact !== undefined || form.protocolVersion < "2025-06-18")
    return undefined;
  if (isRecord(value)) return JSON.stringify(value);
  if (!modernVersions.includes(form.protocolVersion)) return undefined;
  return form.hasOutputSchema || Array.isArray(value) ? JSON.stringify(value) : undefined;
}

/** A block that the revision does not know is told of in words. */
export function toKnownBlock(block: ContentBlock, protocolVersion: string): ContentBlock {
  if (block.type === "audio" && protocolVersion < "2025-03-26") {
    return { type: "text", text: `[audio: ${block.mimeType}, ${block.data.length} characters of base64]` };
  }
  if (block.type === "resource_link" && protocolVersion < "2025-06-18") {
    return { type: "text", text: `[resource: ${block.name} ${block.uri}]` };
  }
  return block;
}

/** The call's id, the tool that the call stood for, and what the gate did or found that the text does not say. */
function callMeta(result: ToolResult, { name }: ResultForm): string {
  const { callId, toolName, notes, artifact } = result;
  if (result.success && notes.length === 0 && artifact === undefined && toolName === name)
    return `{"id":${JSON.stringify(callId)}}`;
  return JSON.stringify({
    id: callId,
    ...(toolName !== name && { tool: toolName }),
    ...(notes.length > 0 && { notes }),
    ...(artifact !== undefined && { artifact }),
    ...(!result.success && { code: result.code }),
    ...(!result.success && result.stillRunning && { stillRunning: true }),
  });
}
