/** One part of what a tool gives back when plain text will not do. The forms are MCP's content blocks. */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock | ResourceLinkBlock;

/** A piece of text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly annotations?: ContentAnnotations;
}

/** A picture. */
export interface ImageBlock {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: ContentAnnotations;
}

/** A sound. */
export interface AudioBlock {
  readonly type: "audio";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: ContentAnnotations;
}

/** A resource given whole: `text`, or `blob` in base64. */
export interface ResourceBlock {
  readonly type: "resource";
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  };
  readonly annotations?: ContentAnnotations;
}

/** A resource named, not given. */
export interface ResourceLinkBlock {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: ContentAnnotations;
}

/** Who a block is for, how much it matters (0 to 1), and when it was changed last (ISO 8601), as MCP has them. */
export interface ContentAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/**
 * A result made of blocks (an image, a PDF's pages, another server's answer). A tool that returns anything
 * else is shown to the model as text: a string as it is, every other value as JSON.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "dot",
 *     description: "Draw a dot.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: () => new ToolContent([{ type: "image", data: "R0lGODlhAQABAAAAACw=", mimeType: "image/gif" }]),
 *   }),
 * );
 * const result = await new ToolExecutor(registry).run("dot", {});
 * result.success && result.content?.[0]?.type; // → "image"
 * ```
 */
export class ToolContent {
  readonly blocks: readonly ContentBlock[];
  /** The same result as a JSON value, for callers that want data. */
  readonly structured: unknown;
  /** Set by a tool that knows of this one result that somebody outside could have written it. */
  readonly trust: "untrusted" | undefined;
  /** The text of `blocks` says all that `structured` does: where the data is too long, the text is kept, and only once. */
  readonly textIsWhole: boolean;

  constructor(
    blocks: readonly ContentBlock[],
    structured?: unknown,
    trust?: "untrusted",
    { textIsWhole = false }: { readonly textIsWhole?: boolean } = {},
  ) {
    this.blocks = blocks;
    this.structured = structured;
    this.trust = trust;
    this.textIsWhole = textIsWhole;
  }
}
