import { isRecord } from "../../../base/index.ts";
import type { Call, Reply } from "../calls/call.ts";
import { writeMembers } from "../messages/message.ts";
import { invalidParams } from "../messages/rpc-error.ts";

/** An argument that somebody is filling in. */
export interface CompletionRequest {
  /** The name of the prompt, or the URI template of the resource. */
  readonly of: string;
  readonly argument: string;
  /** What is there so far. */
  readonly value: string;
  /** The arguments filled in before. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** The specification's bound. */
const mostValues = 100;

/** @throws {RpcError} invalidParams */
export function readCompletion({ params }: Call): {
  readonly kind: "prompt" | "resource";
  readonly request: CompletionRequest;
} {
  const { ref, argument, context } = params;
  if (!isRecord(ref) || !isRecord(argument))
    throw invalidParams('Cannot complete: "ref" and "argument" must be objects');
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") {
    throw invalidParams('Cannot complete: "argument" must have a name and a value');
  }
  const kind =
    ref["type"] === "ref/prompt" ? "prompt" : ref["type"] === "ref/resource" ? "resource" : undefined;
  const of = kind === "prompt" ? ref["name"] : ref["uri"];
  if (kind === undefined || typeof of !== "string") {
    throw invalidParams(
      'Cannot complete: "ref" must name a prompt (ref/prompt) or the URI of a resource (ref/resource)',
    );
  }
  const others = isRecord(context) && isRecord(context["arguments"]) ? context["arguments"] : {};
  return { kind, request: { of, argument: name, value, others } };
}

export function completionReply(values: readonly string[]): Reply {
  const completion = {
    values: values.slice(0, mostValues),
    total: values.length,
    hasMore: values.length > mostValues,
  };
  return { members: writeMembers({ completion }) };
}
