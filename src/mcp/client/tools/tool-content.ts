import { isRecord } from "../../../base/index.ts";
import { type ContentAnnotations, type ContentBlock, ToolContent } from "../../../kernel/index.ts";
import type { Result } from "../link.ts";

/** What a server answered a call with, as a tool gives it back: everything in it could be a stranger's. */
export function toToolContent(result: Result): ToolContent {
  const blocks = toBlocks(result["content"]);
  const structured = result["structuredContent"];
  if (blocks.length === 0 && structured !== undefined)
    blocks.push({ type: "text", text: JSON.stringify(structured) });
  return new ToolContent(blocks, structured, "untrusted");
}

/** The texts of an answer, for where only text can be. */
export function readText(result: Result): string {
  return toBlocks(result["content"])
    .map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "resource") return block.resource.text ?? `[resource: ${block.resource.uri}]`;
      return block.type === "resource_link"
        ? `[resource: ${block.uri}]`
        : `[${block.type}: ${block.mimeType}]`;
    })
    .join("\n");
}

function toBlocks(content: unknown): ContentBlock[] {
  const parts: unknown[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return parts.map(toBlock);
}

/** A form of content that is not known is shown as the data that it is. */
export function toBlock(part: unknown): ContentBlock {
  if (!isRecord(part)) return { type: "text", text: JSON.stringify(part) ?? "" };
  const notes = toAnnotations(part["annotations"]);
  const { type, text, data, mimeType, uri, name, resource } = part;
  if (type === "text" && typeof text === "string") return { type, text, ...notes };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return {
      type,
      data,
      mimeType: typeof mimeType === "string" ? mimeType : "application/octet-stream",
      ...notes,
    };
  if (type === "resource" && isRecord(resource) && typeof resource["uri"] === "string")
    return { type, resource: toResource(resource), ...notes };
  if (type === "resource_link" && typeof uri === "string") {
    return {
      type,
      uri,
      name: typeof name === "string" ? name : uri,
      ...pickTexts(part, ["title", "description", "mimeType"]),
      ...(typeof part["size"] === "number" && { size: part["size"] }),
      ...notes,
    };
  }
  return { type: "text", text: JSON.stringify(part) };
}

export function toResource(resource: Readonly<Record<string, unknown>>): {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
} {
  return { uri: String(resource["uri"]), ...pickTexts(resource, ["mimeType", "text", "blob"]) };
}

function pickTexts<Name extends string>(
  from: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}

function toAnnotations(given: unknown): { readonly annotations?: ContentAnnotations } {
  if (!isRecord(given)) return {};
  const { audience, priority, lastModified } = given;
  const roles = Array.isArray(audience)
    ? audience.filter((role) => role === "user" || role === "assistant")
    : [];
  const annotations: ContentAnnotations = {
    ...(roles.length > 0 && { audience: roles as ("user" | "assistant")[] }),
    ...(typeof priority === "number" && { priority }),
    ...(typeof lastModified === "string" && { lastModified }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}
