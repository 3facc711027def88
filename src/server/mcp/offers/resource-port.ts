import type { MaybePromise } from "../../../base/index.ts";
import type { ContentAnnotations, ToolIcon } from "../../../kernel/index.ts";
import type { McpPeer } from "../messages/peer.ts";
import type { CompletionRequest } from "./completion.ts";

/** A resource as the list shows it. One that is not listed may be read all the same. */
export interface ResourceInfo {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  readonly icons?: readonly ToolIcon[];
  readonly annotations?: ContentAnnotations;
}

/** A family of resources whose URIs follow one form. */
export interface ResourceTemplate {
  /** RFC 6570: `notes://{id}`. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly icons?: readonly ToolIcon[];
  readonly annotations?: ContentAnnotations;
}

/** A resource, or a part of one: `text`, or `blob` in base64. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** What a resource or prompt gets beside what was asked for. */
export interface McpRequestContext {
  readonly peer: McpPeer;
  /** Aborted when the client cancels. */
  readonly signal: AbortSignal;
}

/** What a server lets its clients read. Lists keep their order from one call to the next. */
export interface McpResources {
  list(context: McpRequestContext): MaybePromise<readonly ResourceInfo[]>;
  templates?(context: McpRequestContext): MaybePromise<readonly ResourceTemplate[]>;
  /** Undefined where there is no such resource. */
  read(uri: string, context: McpRequestContext): MaybePromise<readonly ResourceContents[] | undefined>;
  /** Values for an argument of a template, the likeliest first. */
  complete?(request: CompletionRequest, context: McpRequestContext): MaybePromise<readonly string[]>;
  /** Called once; `changed` is told the URI of each resource that is not what it was. Present: clients can subscribe. */
  onUpdate?(changed: (uri: string) => void): () => void;
  /** Called once; `changed` is called when the lists are not what they were. */
  onListChange?(changed: () => void): () => void;
}
