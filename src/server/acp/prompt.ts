import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { formatAttached } from "../../app/index.ts";
import type { ImagePart, TextPart } from "../../model/index.ts";

/**
 * Turns a prompt into the parts of a message.
 *
 * @throws {RequestError} The prompt is empty, or has a block that no model is given.
 */
export function toParts(blocks: readonly ContentBlock[]): readonly (TextPart | ImagePart)[] {
  const parts = blocks.map(toPart);
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts;
  throw RequestError.invalidParams(undefined, "the prompt must be of texts, pictures, resources and links");
}

/** The addresses of the resources whose content is in a prompt. */
export function listResources(blocks: readonly ContentBlock[]): readonly string[] {
  return blocks.flatMap((block) => (block.type === "resource" ? [block.resource.uri] : []));
}

function toPart(block: ContentBlock): TextPart | ImagePart | undefined {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image") return { type: "image", mimeType: block.mimeType, data: block.data };
  if (block.type === "resource_link") return { type: "text", text: formatAttached({ name: block.uri }) };
  if (block.type === "audio") return undefined;
  const { resource } = block;
  if ("text" in resource)
    return { type: "text", text: formatAttached({ name: resource.uri, text: resource.text }) };
  const { mimeType, blob: data } = resource;
  return mimeType?.startsWith("image/") === true ? { type: "image", mimeType, data } : undefined;
}
