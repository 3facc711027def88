import { isRecord } from "../../base/index.ts";
import { type HookCall, type HookOutcome, ToolContent } from "../../kernel/index.ts";
import type { HookDefinition } from "./hook-definition.ts";

/** What a hook reads on its input. */
export interface HookInput {
  readonly hook: string;
  readonly type: HookDefinition["type"];
  readonly call_id: string;
  readonly tool: { readonly name: string; readonly origin?: string; readonly category: string };
  /** Secret arguments are left out. */
  readonly input: unknown;
  readonly agent_id: string | undefined;
  readonly session_id: string | undefined;
  readonly user_id: string | undefined;
  /** Whether the call succeeded; a `post_tool` hook is told. */
  readonly success?: boolean;
  readonly output?: unknown;
  readonly error?: string;
}

export function toInput(definition: HookDefinition, call: HookCall, outcome?: HookOutcome): HookInput {
  const { tool, context } = call;
  return {
    hook: definition.id,
    type: definition.type,
    call_id: call.callId,
    tool: {
      name: tool.name,
      category: tool.category,
      ...(tool.origin !== undefined && { origin: tool.origin }),
    },
    input: withoutSecrets(call),
    agent_id: context.agentId,
    session_id: context.origin?.session ?? context.taskId,
    user_id: context.userId,
    ...(outcome !== undefined && toOutput(outcome)),
  };
}

function toOutput(outcome: HookOutcome): Pick<HookInput, "success" | "output" | "error"> {
  if (!outcome.success) return { success: false, error: outcome.error.message };
  const { value } = outcome;
  if (!(value instanceof ToolContent)) return { success: true, output: value };
  const { blocks, structured } = value;
  return { success: true, output: { content: blocks, ...(structured !== undefined && { structured }) } };
}

/** The arguments that a hook may see. */
function withoutSecrets({ params, shownParams, tool }: HookCall): unknown {
  const secret = tool.secretParams ?? [];
  if (secret.length === 0 || typeof params !== "object" || params === null) return shownParams;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !secret.includes(name)));
}

/** A program that is told what came back of a call gets no secret by it: it declares none. */
export function withoutSecretValues(input: HookInput, redact?: (text: string) => string): HookInput {
  if (redact === undefined) return input;
  const written = JSON.stringify(input);
  const text = redact(written);
  return text === written ? input : (JSON.parse(text) as HookInput);
}

/**
 * What a hook made of the arguments, with the secret ones that it has not seen.
 *
 * @throws {TypeError} for those of a call whose own calls have secret ones: nobody knows where these would belong
 */
export function withSecrets(modified: unknown, { params, shownParams, tool }: HookCall): unknown {
  const secret = tool.secretParams ?? [];
  if (secret.length === 0 && shownParams !== params)
    throw new TypeError(
      `the calls of "${tool.name}" have secret arguments; change those calls, not this one`,
    );
  if (secret.length === 0 || !isRecord(params) || !isRecord(modified)) return modified;
  const kept = Object.entries(params).filter(([name]) => secret.includes(name));
  return { ...modified, ...Object.fromEntries(kept) };
}

/** A variable over this could keep the hook from starting: it is left out, and the input has it. */
const longestVariable = 64 * 1024;

/** The documented variables, for hooks that need no more. */
export function toVariables({ type, tool, input, ...rest }: HookInput): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    HOOK_TYPE: type,
    TOOL_NAME: tool.name,
    TOOL_ID: rest.call_id,
    TOOL_INPUT: JSON.stringify(input),
    TOOL_OUTPUT:
      type === "post_tool" ? readText(rest.success === false ? rest.error : rest.output) : undefined,
    AGENT_ID: rest.agent_id,
    SESSION_ID: rest.session_id,
    USER_ID: rest.user_id,
  };
  return Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && entry[1].length <= longestVariable && !entry[1].includes("\0"),
    ),
  );
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
}
