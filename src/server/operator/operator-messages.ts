import { cutHead, isRecord, parseJson } from "../../base/index.ts";

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
export type OperatorRequest = ToolRequest | DispatchRequest;

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
}

/** What it is answered. One with `error` has a `code` too. */
export type OperatorAnswer = ToolAnswer | DispatchAnswer | FaultAnswer;

export interface ToolAnswer {
  readonly type: "tool_result";
  readonly id: string;
  readonly content: string;
  readonly error?: string;
  readonly code?: OperatorCode;
  /** haft's own code of the failure. */
  readonly cause?: string;
}

export interface DispatchAnswer {
  readonly type: "dispatched";
  readonly id?: string;
  readonly sessionID: string;
  readonly agentID: string;
  /** Those that this session may call now. */
  readonly tools: readonly string[];
  /** Names that stand for no tool. */
  readonly unknown: readonly string[];
}

/** The answer to what could not be understood, and is therefore no call. */
export interface FaultAnswer {
  readonly type: "error";
  readonly id?: string;
  readonly error: string;
  readonly code: OperatorCode;
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
    return { type, id, sessionID, agentID, tools: readTools(given["context"], id) };
  }
  throw invalid('"type" must be "tool" or "dispatch"', id);
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
