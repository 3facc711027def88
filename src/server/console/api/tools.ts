import type { CallCount, Explanation, ListCost, ToolTier } from "../../../app/index.ts";
import type { ToolData, ToolVersion } from "../../../app/views/index.ts";
import type { Decision, LLMTarget, Quarantine, ToolAnnotations, ToolResult } from "../../../kernel/index.ts";

/** A tool in the list, with its calls of the last 7 days. */
export interface ListedTool extends Omit<CallCount, "value"> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly category: string;
  /** The pack, or the server that offers it. */
  readonly pack: string;
  readonly kind: "pack" | "server";
  readonly version: string;
  readonly annotations: ToolAnnotations;
  /** Undefined for a tool that is not offered to this API. */
  readonly tier: ToolTier | undefined;
  /** Tokens of its definition in a request that has it. */
  readonly tokens: number | undefined;
  readonly shown: boolean;
  readonly callable: boolean;
  readonly allowed: boolean;
}

export interface ToolList {
  readonly target: LLMTarget;
  readonly tokenizer: string;
  /** What is counted, and how exact it is: a sentence. */
  readonly basis: string;
  /** A list of all tools, and one of the core alone. */
  readonly whole: ListCost;
  readonly lean: ListCost;
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly Quarantine[];
}

/** A tool as one model API is given it. */
export interface ToolForm {
  readonly target: LLMTarget;
  /** Undefined if it can't be offered to that API. */
  readonly definition: object | undefined;
  readonly tokens: number | undefined;
}

/** A reason why a tool is not shown, not callable or not allowed, and what to change. */
export interface ToolObstacle {
  readonly part: "shown" | "callable" | "allowed";
  readonly message: string;
  readonly remedy: string | undefined;
}

export interface ToolDetail {
  readonly tool: ToolData;
  /** The pack, or the server that offers it. */
  readonly pack: string;
  readonly kind: "pack" | "server";
  /** Why it is not shown, callable or allowed; empty where nothing is in the way. */
  readonly obstacles: readonly ToolObstacle[];
  readonly forms: readonly ToolForm[];
  readonly versions: readonly ToolVersion[];
  /** Its calls of the last 7 days by their state. */
  readonly states: readonly CallCount[];
  readonly command: string;
}

/** A call to try. */
export interface TriedCall {
  readonly params: unknown;
  /** @default no agent */
  readonly agent?: string;
}

/** The data of `haft policy explain --json`. `outcome` is what happens if nobody answers anything. */
export type ToolDecision = Explanation & { readonly outcome: Decision };

export interface ToolsApi {
  readonly "GET /tools": { readonly query: { readonly target?: LLMTarget }; readonly answer: ToolList };
  readonly "GET /tools/:name": { readonly answer: ToolDetail };
  /** Nothing runs and nobody is asked. */
  readonly "POST /tools/:name/dry-run": { readonly body: TriedCall; readonly answer: ToolDecision };
  /** Ends with the request. */
  readonly "POST /tools/:name/run": { readonly body: TriedCall; readonly answer: ToolResult };
}
