import type { ContentBlock } from "@agentclientprotocol/sdk";
import { formatAttached } from "../../app/index.ts";
import type { ImagePart, TextPart } from "../../model/index.ts";

/** The parts of a message; undefined for a block that no model is given. */
export function toParts(blocks: readonly ContentBlock[]): readonly (TextPart | ImagePart)[] | undefined {
  const parts = blocks.map(toPart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** The addresses of the resources whose content is in a prompt. */
export function listResources(blocks: readonly ContentBlock[]): readonly string[] {
  return blocks.flatMap((block) => (block.type === "resource" ? [block.resource.uri] : []));
}

function toPart(block: ContentBlock): TextPart | ImagePart | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", mimeType: block.mimeType, data: block.data };
    case "resource_link":
      return { type: "text", text: formatAttached({ name: block.uri }) };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { type: "text", text: formatAttached({ name: resource.uri, text: resource.text }) };
      const { mimeType = "", blob: data } = resource;
      return mimeType?.startsWith("image/") === true ? { type: "image", mimeType, data } : undefined;
    }
    case "audio":
      return undefined;
    default:
      return block satisfies never;
  }
}
