import type { SessionView } from "../../app/views/index.ts";
import { cutHead, isRecord, parseJson } from "../../base/index.ts";
import type { ChatUsage } from "../../model/index.ts";

/** The codes of an operator's answers: the words that operators know already. `docs/guide/operator.md` explains each. */
export const operatorCodes = [
  "TOOL_NOT_AVAILABLE",
  "TOOL_EXECUTION_FAILED",
  "AGENT_NOT_FOUND",
  "SESSION_NOT_FOUND",
  "INVALID_REQUEST",
  "RATE_LIMIT_EXCEEDED",
  "CONTEXT_TOO_LARGE",
] as const;
export type OperatorCode = (typeof operatorCodes)[number];

/** What an operator asks for. */
export type OperatorRequest = ToolRequest | DispatchRequest | QueryRequest | ContextRequest;

interface CommonRequest {
  /** Comes back in the answer. */
  readonly id: string | undefined;
  readonly sessionID: string | undefined;
}

export interface ToolRequest extends CommonRequest {
  readonly type: "tool";
  readonly name: string;
  readonly input: unknown;
}

export interface DispatchRequest extends CommonRequest {
  readonly type: "dispatch";
  readonly agentID: string;
  /** Undefined: all there are. */
  readonly tools: readonly string[] | undefined;
  /** Starts the agent with this message. Undefined: its calls come from the operator. */
  readonly prompt: string | undefined;
  readonly stream: boolean;
}

/** A message to an agent, which haft runs. */
export interface QueryRequest extends CommonRequest {
  readonly type: "query";
  /** Undefined: the agent of the session. */
  readonly agentID: string | undefined;
  readonly prompt: string;
  /** Whether events are sent while the query runs. */
  readonly stream: boolean;
}

/** Asks what the agent of a session is shown. */
export interface ContextRequest extends CommonRequest {
  readonly type: "send_context_request";
}

/** What it is answered. One with `error` has a `code` too. */
export type OperatorAnswer = ToolAnswer | DispatchAnswer | QueryAnswer | ContextAnswer | FaultAnswer;

export interface ToolAnswer {
  readonly type: "tool_result";
  readonly id: string;
  readonly content: string;
  readonly error?: string;
  readonly code?: OperatorCode;
  /** haft's own code of the failure. */
  readonly cause?: string;
}

/** The answer to a dispatch. One with a prompt has the outcome of the query too. */
export interface DispatchAnswer extends Partial<Omit<QueryOutcome, "sessionID" | "agentID">> {
  readonly type: "dispatched";
  readonly id?: string;
  readonly sessionID: string;
  readonly agentID: string;
  /** Those that this session may call now. */
  readonly tools: readonly string[];
  /** Names that stand for no tool. */
  readonly unknown: readonly string[];
}

/** How a query ended. One that failed has `error`, `code` and `cause`. */
export interface QueryOutcome {
  /** Names the conversation in the next query. */
  readonly sessionID: string;
  readonly agentID: string;
  /** The run, as `haft sessions` and `haft run --resume` know it. Absent: none was begun. */
  readonly runID?: string;
  /** The agent's last text. */
  readonly content: string;
  /** How many answers the model gave. */
  readonly turns: number;
  readonly usage: QueryUsage;
  /** `end`, or why the agent stopped before: `docs/guide/operator.md` explains each. */
  readonly stopReason: string;
  readonly error?: string;
  readonly code?: OperatorCode;
  readonly cause?: string;
}

/** Tokens and cost of the model's answers. */
export interface QueryUsage extends ChatUsage {
  /** Micro-USD; absent if the price of an answer is not known. */
  readonly costMicros?: number;
}

/** The answer to a query: `done` where it was streamed. */
export interface QueryAnswer extends QueryOutcome {
  readonly type: "query_result" | "done";
  readonly id?: string;
}

/** What the agent of a session is shown, with the sizes of its parts in tokens. */
export interface ContextAnswer extends Omit<SessionView, "run"> {
  readonly type: "context";
  readonly id?: string;
  readonly sessionID: string;
  readonly agentID: string;
  /** The newest run. Absent: nothing was asked of the agent yet. */
  readonly run?: { readonly runID: string } & Omit<NonNullable<SessionView["run"]>, "id">;
}

/** What happens during a streamed query. */
export type StreamEvent =
  | { readonly type: "turn.start"; readonly turn: number }
  | { readonly type: "text"; readonly content: string }
  | { readonly type: "tool.call"; readonly callID: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool.result";
      readonly callID: string;
      readonly name: string;
      readonly content: string;
      /** haft's own code of a failure. */
      readonly cause?: string;
      readonly failed: boolean;
    }
  | {
      readonly type: "status";
      readonly status: "started" | "retry" | "withdrawn" | "approval" | "compacted";
      readonly message: string;
      readonly runID?: string;
      readonly callID?: string;
      readonly approvalID?: string;
    }
  | { readonly type: "turn.end"; readonly turn: number; readonly usage: QueryUsage };

/** One line before the last of a streamed answer. */
export type StreamLine =
  | DispatchAnswer
  | (StreamEvent & { readonly id?: string; readonly sessionID: string });

/** The answer to a message that could not be understood, or that haft itself failed to handle. */
export interface FaultAnswer {
  readonly type: "error";
  readonly id?: string;
  readonly error: string;
  readonly code: OperatorCode;
  /** haft's own code of its failure. */
  readonly cause?: string;
}

/** A request that is answered with an error. */
export class OperatorFault extends Error {
  override readonly name = "OperatorFault";
  readonly code: OperatorCode;
  readonly id: string | undefined;

  constructor(code: OperatorCode, message: string, id?: string) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

const mostTools = 1_000;
const wordPattern = /^[\w.:@/-]{1,128}$/;

/** @throws {OperatorFault} INVALID_REQUEST */
export function readRequest(text: string): OperatorRequest {
  const given = parseJson(text);
  if (!isRecord(given)) throw invalid("it must be one JSON object");
  const id = readWord(given["id"], "id", undefined);
  const sessionID = readWord(given["sessionID"], "sessionID", id);
  const { type } = given;
  if (type === "tool") {
    const { name, input = {} } = given;
    if (typeof name !== "string" || name === "") throw invalid('"name" must be that of a tool', id);
    return { type, id, sessionID, name: cutHead(name, 200), input };
  }
  if (type === "dispatch") {
    const agentID = readWord(given["agentID"], "agentID", id);
    if (agentID === undefined) throw invalid('"agentID" must name the agent', id);
    const tools = readTools(given["context"], id);
    const prompt = given["prompt"] === undefined ? undefined : readPrompt(given["prompt"], id);
    return { type, id, sessionID, agentID, tools, prompt, stream: readFlag(given["stream"], id) };
  }
  if (type === "query") {
    const agentID = readWord(given["agentID"], "agentID", id);
    const prompt = readPrompt(given["prompt"], id);
    return { type, id, sessionID, agentID, prompt, stream: readFlag(given["stream"], id) };
  }
  if (type === "send_context_request") return { type, id, sessionID };
  throw invalid('"type" must be "tool", "dispatch", "query" or "send_context_request"', id);
}

function readPrompt(value: unknown, id: string | undefined): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalid('"prompt" must be the text for the agent', id);
}

function readFlag(value: unknown, id: string | undefined): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  throw invalid('"stream" must be true or false', id);
}

/** Whether a request that could not be read may have been meant as a dispatch. */
export function mayBeDispatch(text: string): boolean {
  const given = parseJson(text);
  return !isRecord(given) || given["type"] === "dispatch";
}

function readTools(context: unknown, id: string | undefined): readonly string[] | undefined {
  if (context === undefined) return undefined;
  if (!isRecord(context)) throw invalid('"context" must be an object', id);
  const { tools } = context;
  if (tools === undefined) return undefined;
  const isList = Array.isArray(tools) && tools.length <= mostTools;
  if (isList && tools.every((name): name is string => typeof name === "string" && name.length <= 64))
    return tools;
  throw invalid(`"context.tools" must be a list of at most ${mostTools} names of tools`, id);
}

function readWord(value: unknown, field: string, id: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && wordPattern.test(value)) return value;
  throw invalid(`"${field}" must be 1 to 128 letters, digits or . : @ / _ -`, id);
}

function invalid(why: string, id?: string): OperatorFault {
  return new OperatorFault("INVALID_REQUEST", `Cannot take the request: ${why}`, id);
}
