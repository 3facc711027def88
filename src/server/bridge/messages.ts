import { cutHead, isRecord, parseJson, showInvisible } from "../../base/index.ts";
import { type ContentBlock, ToolContent } from "../../kernel/index.ts";
import { BridgeError } from "../../sources/index.ts";

/** What a host program says. One JSON object is one message. */
export type HostMessage =
  | { readonly type: "announce"; readonly host: unknown; readonly tools: unknown }
  | { readonly type: "result"; readonly id: string; readonly value: unknown; readonly content: unknown }
  | { readonly type: "error"; readonly id: string; readonly message: string }
  | {
      readonly type: "progress";
      readonly id: string;
      readonly progress: number;
      readonly total: number | undefined;
      readonly message: string | undefined;
    };

/** What haft says to a host program. */
export type BridgeMessage =
  | {
      readonly type: "invoke";
      readonly id: string;
      readonly name: string;
      readonly params: unknown;
    }
  | { readonly type: "cancel"; readonly id: string; readonly reason: string }
  | { readonly type: "announced"; readonly host: string; readonly tools: readonly AnnouncedTool[] }
  /** The host program broke a rule of this protocol: the connection ends. */
  | { readonly type: "error"; readonly message: string };

/** What became of one tool: the name it has here, or why it has none. */
export type AnnouncedTool =
  | { readonly name: string; readonly as: string }
  | { readonly name: string; readonly refused: string };

const mostErrorChars = 2_000;
const mostProgressChars = 200;

/** @throws {BridgeError} BRIDGE_PROTOCOL */
export function readHostMessage(text: string): HostMessage {
  const message = parseJson(text);
  if (!isRecord(message)) throw notUnderstood("it is no JSON object");
  const { type, id } = message;
  if (type === "announce") return { type, host: message["host"], tools: message["tools"] };
  if (type !== "result" && type !== "error" && type !== "progress")
    throw notUnderstood('its type must be "announce", "result", "error" or "progress"');
  if (typeof id !== "string") throw notUnderstood('its id must be that of an "invoke"');
  switch (type) {
    case "result":
      return { type, id, value: message["value"], content: message["content"] };
    case "error":
      return { type, id, message: foreign(message["message"], mostErrorChars) ?? "it gave no reason" };
    case "progress": {
      const { progress, total } = message;
      if (!isAmount(progress)) throw notUnderstood("its progress must be a number from 0");
      return {
        type,
        id,
        progress,
        total: isAmount(total) ? total : undefined,
        message: foreign(message["message"], mostProgressChars),
      };
    }
    default:
      throw type satisfies never;
  }
}

/**
 * A result as the gate takes it, marked as data from outside.
 *
 * @throws {BridgeError} BRIDGE_FAILED where it is no content.
 */
export function toContent(tool: string, value: unknown, content: unknown): ToolContent {
  if (content !== undefined) {
    const blocks = Array.isArray(content) ? content : [];
    if (blocks.length > 0 && blocks.every(isBlock))
      return new ToolContent(blocks.map(toBlock), value, "untrusted");
    throw new BridgeError(
      "BRIDGE_FAILED",
      `Cannot use what "${tool}" gave back: its content must be a list of text, image and audio blocks`,
    );
  }
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return new ToolContent(
    [{ type: "text", text }],
    typeof value === "string" ? undefined : value,
    "untrusted",
  );
}

type GivenBlock = Extract<ContentBlock, { type: "text" | "image" | "audio" }>;

function isBlock(block: unknown): block is GivenBlock {
  if (!isRecord(block)) return false;
  if (block["type"] === "text") return typeof block["text"] === "string";
  if (block["type"] !== "image" && block["type"] !== "audio") return false;
  return (
    typeof block["data"] === "string" &&
    /^[A-Za-z0-9+/]*={0,2}$/.test(block["data"]) &&
    isMimeType(block["mimeType"])
  );
}

/** Nothing but what a block is made of. */
function toBlock(block: GivenBlock): ContentBlock {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: block.type, data: block.data, mimeType: block.mimeType };
}

function isMimeType(value: unknown): boolean {
  return typeof value === "string" && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** A text of the host program as people may see it; undefined for what is none. */
function foreign(value: unknown, mostChars: number): string | undefined {
  return typeof value === "string" && value !== "" ? showInvisible(cutHead(value, mostChars)) : undefined;
}

export function notUnderstood(why: string): BridgeError {
  return new BridgeError("BRIDGE_PROTOCOL", `Cannot understand a message of the host program: ${why}`);
}
