import type { MaybePromise } from "../../../base/index.ts";
import type { ContentBlock, ToolIcon } from "../../../kernel/index.ts";
import type { CompletionRequest } from "./completion.ts";
import type { McpRequestContext } from "./resource-port.ts";

/** A prompt as the list shows it; `name` is unique. */
export interface PromptInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly ToolIcon[];
}

/** Arguments are texts; a required one that is missing is refused before the prompt is made. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** @default false */
  readonly required?: boolean;
}

/** One turn of the conversation that a prompt inserts. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** A prompt, made of its arguments. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** What a server lets its clients' people insert. The list keeps its order from one call to the next. */
export interface McpPrompts {
  list(context: McpRequestContext): MaybePromise<readonly PromptInfo[]>;
  /** Undefined where there is no such prompt. Required arguments are there when it is called. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    context: McpRequestContext,
  ): MaybePromise<PromptResult | undefined>;
  /** Values for an argument, the likeliest first. */
  complete?(request: CompletionRequest, context: McpRequestContext): MaybePromise<readonly string[]>;
  /** Called once; `changed` is called when the list is not what it was. */
  onListChange?(changed: () => void): () => void;
}
