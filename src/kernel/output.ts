import { headOf, tailOf } from "../base/index.ts";
import { type ContentBlock, ToolContent } from "./content.ts";
import { ToolError } from "./errors.ts";
import type { Redact } from "./redact.ts";
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
  /** Keeps the whole of a text that is too long; absent where there is no store. */
  readonly keep: ((text: string) => Promise<ArtifactRef>) | undefined;
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

/** True if `value` needs nothing done to it. */
export function isSmallText(
  value: unknown,
  bounds: Pick<OutputBounds, "maxChars" | "redact">,
): value is string {
  return typeof value === "string" && bounds.redact === undefined && value.length <= bounds.maxChars;
}

/** Cuts a text to its head and tail, with a line between them that says how to get the rest. */
export async function boundText(
  text: string,
  { maxChars, keep }: Pick<OutputBounds, "maxChars" | "keep">,
): Promise<{ text: string; artifact: ArtifactRef | undefined }> {
  if (text.length <= maxChars) return { text, artifact: undefined };
  const artifact = await keep?.(text);
  const head = headOf(text, Math.floor(maxChars * 0.7));
  const tail = tailOf(text, Math.floor(maxChars * 0.2));
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

async function boundContent(content: ToolContent, bounds: OutputBounds): Promise<Output> {
  const { redact } = bounds;
  const blocks =
    redact === undefined ? content.blocks : content.blocks.map((block) => redactBlock(block, redact));
  const whole = blocks
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n");
  const structured =
    content.structured === undefined ? undefined : toJson(content.structured, bounds.toolName);
  const tooMuchData = structured !== undefined && structured.length > bounds.maxChars;
  const cut = await boundText(whole === "" && tooMuchData ? structured : whole, bounds);
  const fits = cut.artifact === undefined && whole.length <= bounds.maxChars;
  const others = blocks.filter((block) => block.type !== "text");
  const clean = structured === undefined ? undefined : (redact?.(structured) ?? structured);
  return {
    value:
      structured === undefined || tooMuchData
        ? cut.text
        : clean === structured
          ? content.structured
          : reread(undefined, clean ?? ""),
    text: cut.text,
    content: fits
      ? blocks
      : [{ type: "text", text: cut.text }, ...others.filter((block) => block.type !== "resource")],
    artifact: cut.artifact,
  };
}

function redactBlock(block: ContentBlock, redact: Redact): ContentBlock {
  if (block.type === "text") return { ...block, text: redact(block.text) };
  if (block.type === "resource" && block.resource.text !== undefined) {
    return { ...block, resource: { ...block.resource, text: redact(block.resource.text) } };
  }
  return block;
}

/** How a block reads where only text can be shown. */
function textOf(block: ContentBlock): string {
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
  if (typeof value === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
