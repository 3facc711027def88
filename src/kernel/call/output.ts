import { cutHead, cutTail, parseJson } from "../../base/index.ts";
import { ToolError } from "../errors.ts";
import type { Redact } from "../secrets/redactor.ts";
import { type ContentBlock, ToolContent } from "../tool/content.ts";
import type { ArtifactRef } from "./result.ts";

/** What a tool returned, in the forms that leave the gate. */
export interface Output {
  readonly value: unknown;
  readonly text: string;
  readonly content: readonly ContentBlock[] | undefined;
  readonly artifact: ArtifactRef | undefined;
}

export interface OutputBounds {
  readonly toolName: string;
  readonly maxChars: number;
  readonly redact: Redact | undefined;
  /** Keeps the whole of a text that is too long; gives nothing where it could not. */
  readonly keep: ((text: string) => Promise<ArtifactRef | undefined>) | undefined;
}

/** Takes secrets out of a value, gives it as text, and cuts it to the limit; the rest is kept. */
export async function boundOutput(value: unknown, bounds: OutputBounds): Promise<Output> {
  if (value instanceof ToolContent) return boundContent(value, bounds);
  const written = typeof value === "string" ? value : toJson(value, bounds.toolName);
  const text = bounds.redact?.(written) ?? written;
  if (text.length > bounds.maxChars) {
    const cut = await boundText(text, bounds);
    return { value: cut.text, text: cut.text, content: undefined, artifact: cut.artifact };
  }
  return {
    value: text === written ? value : reread(value, text),
    text,
    content: undefined,
    artifact: undefined,
  };
}

/** What the line between head and tail may take: its words, three numbers and an artifact id. */
const noticeChars = 240;

/** Cuts a text to its head and tail, with a line between them that says how to get the rest. */
export async function boundText(
  text: string,
  { maxChars, keep }: Pick<OutputBounds, "maxChars" | "keep">,
): Promise<{ text: string; artifact: ArtifactRef | undefined }> {
  if (text.length <= maxChars) return { text, artifact: undefined };
  const artifact = await keep?.(text);
  const room = Math.max(maxChars - noticeChars, 0);
  const head = cutHead(text, Math.ceil(room * 0.75));
  const tail = cutTail(text, Math.floor(room * 0.25));
  const left = text.length - head.length - tail.length;
  const how =
    artifact === undefined
      ? "they were not kept"
      : `read them with artifact_read {"id":"${artifact.id}","offset":${head.length}}, or find a part with artifact_search`;
  return {
    text: `${head}\n[… ${left} of ${text.length} characters left out here; ${how} …]\n${tail}`,
    artifact,
  };
}

/** Appends data over the limit to the text, unless the text already has all of it; what is cut is kept as an artifact. */
async function boundContent(content: ToolContent, bounds: OutputBounds): Promise<Output> {
  const { redact, maxChars, toolName } = bounds;
  const { structured } = content;
  const blocks =
    redact === undefined ? content.blocks : content.blocks.map((block) => redactBlock(block, redact));
  const shown = joinLines(blocks.map(formatBlock));
  const written = toJson(structured, toolName);
  const data = redact?.(written) ?? written;
  const dataFits = data.length <= maxChars;
  const whole = dataFits || data === shown || content.textIsWhole ? shown : joinLines([shown, data]);
  const { text, artifact } = await boundText(whole, bounds);
  const others = blocks.filter((block) => block.type !== "text" && block.type !== "resource");
  return {
    value:
      structured === undefined || !dataFits ? text : data === written ? structured : reread(undefined, data),
    text,
    content: text === whole ? blocks : [{ type: "text", text }, ...others],
    artifact,
  };
}

function joinLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** Pictures and sounds are left as they are. */
function redactBlock(block: ContentBlock, redact: Redact): ContentBlock {
  if (block.type === "image" || block.type === "audio") return block;
  if (block.type === "text") return { ...block, text: redact(block.text) };
  const text = redact(JSON.stringify(block));
  return (parseJson(text) as ContentBlock | undefined) ?? { type: "text", text };
}

/** How a block reads where only text can be shown. */
function formatBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${block.data.length} characters of base64]`;
    case "resource":
      return block.resource.text ?? `[resource: ${block.resource.uri}]`;
    case "resource_link":
      return `[resource: ${block.name} ${block.uri}]`;
    default:
      return block satisfies never;
  }
}

function toJson(value: unknown, toolName: string): string {
  if (value === undefined) return "";
  try {
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    throw new ToolError(
      toolName,
      "TOOL_OUTPUT",
      `Cannot show what "${toolName}" returned: it is not a JSON value (a cycle, a BigInt, or too many levels); the call itself was done`,
      { cause },
    );
  }
}

/** The value that a redacted text stands for. */
function reread(value: unknown, text: string): unknown {
  return typeof value === "string" ? text : (parseJson(text) ?? text);
}
