import { isRecord } from "../../src/base/index.ts";
import type { ModelProvider } from "../../src/model/index.ts";

/*
 * What the APIs of providers refuse with status 400, from their own documentation and messages. The bodies of requests
 * are read as they go out, without anything of ours, so that a mistake in how we see a rule is not made twice.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Everything that an API would refuse a request for; each a sentence. */
export function findRefusals(provider: ModelProvider, body: string): readonly string[] {
  const read: unknown = JSON.parse(body);
  if (!isRecord(read)) return ["the body is no object"];
  // A half of a surrogate pair is no JSON to Anthropic, and no text to anybody.
  const broken = isUnicode(read) ? [] : ["a text is not Unicode"];
  const check = rules[provider];
  if (check === undefined) throw new Error(`What ${provider} refuses is not known here`);
  return [...broken, ...check(read)];
}

const rules: Readonly<Partial<Record<ModelProvider, (body: Fields) => readonly string[]>>> = {
  anthropic: checkMessages,
  "openai-compatible": checkChat,
  openrouter: checkChat,
  openai: checkResponses,
  google: checkContents,
};

/** https://docs.claude.com/en/api/messages */
function checkMessages(body: Fields): readonly string[] {
  const faults: string[] = [];
  const messages = list(body["messages"]);
  if (messages.length === 0) faults.push("messages: at least one message is required");
  if (messages[0]?.["role"] !== "user") faults.push("the first message is not the user's");
  if (messages.at(-1)?.["role"] !== "user") faults.push("the conversation does not end with a user message");
  if (!(Number(body["max_tokens"]) > 0)) faults.push("max_tokens is required");
  const ids = new Set<unknown>();
  let asked: readonly unknown[] = [];
  for (const message of messages) {
    const content =
      typeof message["content"] === "string"
        ? [{ type: "text", text: message["content"] }]
        : list(message["content"]);
    if (content.length === 0) faults.push("all messages must have non-empty content");
    if (message["role"] === "user") {
      const answered = content
        .filter(({ type }) => type === "tool_result")
        .map((part) => part["tool_use_id"]);
      if (!sameMembers(asked, answered))
        faults.push(
          "tool_use ids without tool_result blocks immediately after, or results without a tool_use",
        );
      const firstOther = content.findIndex(({ type }) => type !== "tool_result");
      if (firstOther !== -1 && content.slice(firstOther).some(({ type }) => type === "tool_result"))
        faults.push("tool_result blocks must come first in the content");
    } else if (message["role"] !== "assistant") faults.push(`the role ${String(message["role"])}`);
    else if (asked.length > 0) faults.push("an assistant message follows calls without results");
    const calls = message["role"] === "assistant" ? content.filter(({ type }) => type === "tool_use") : [];
    asked = calls.map(({ id }) => id);
    for (const { id, name, input } of calls) {
      if (!matches(id, /^[a-zA-Z0-9_-]+$/)) faults.push(`tool_use.id "${String(id)}"`);
      if (ids.has(id)) faults.push("tool_use ids must be unique");
      ids.add(id);
      if (!matches(name, /^[a-zA-Z0-9_-]{1,128}$/)) faults.push(`tool_use.name "${String(name)}"`);
      if (!isRecord(input)) faults.push("tool_use.input should be a valid dictionary");
    }
    for (const part of content) faults.push(...checkBlock(part));
  }
  for (const part of list(body["system"])) faults.push(...checkBlock(part));
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) faults.push("a maximum of 4 blocks with cache_control may be provided");
  return faults;
}

function checkBlock(block: Fields): readonly string[] {
  const { type, text, source, content, is_error: isError } = block;
  if (type === "text" && !hasText(text)) return ["text content blocks must contain non-whitespace text"];
  if (type === "image" && !hasText(isRecord(source) ? source["data"] : undefined))
    return ["image without data"];
  if (type !== "tool_result") return [];
  if (typeof content === "string")
    return isError === true && content === "" ? ["an error without content"] : [];
  const parts = list(content);
  if (isError === true && parts.some((part) => part["type"] !== "text"))
    return ["all content must be text if is_error is true"];
  return parts.flatMap(checkBlock);
}

/** https://platform.openai.com/docs/api-reference/chat/create, and what servers with templates of their own add. */
function checkChat(body: Fields): readonly string[] {
  const faults: string[] = [];
  const messages = list(body["messages"]);
  let open: unknown[] = [];
  const roles: unknown[] = [];
  for (const message of messages) {
    const { role, content, tool_calls: toolCalls, tool_call_id: answers } = message;
    roles.push(role);
    if (role === "tool") {
      if (!open.includes(answers)) faults.push("role 'tool' must be a response to a preceding 'tool_calls'");
      open = open.filter((id) => id !== answers);
      if (typeof content !== "string" && list(content).length === 0) faults.push("a tool message is empty");
      continue;
    }
    if (open.length > 0) faults.push("'tool_calls' must be followed by tool messages for each tool_call_id");
    open = [];
    if (role === "user" && !isSaid(content)) faults.push("a user message is empty");
    if (role !== "assistant") continue;
    const calls = list(toolCalls);
    if (calls.length === 0 && !isSaid(content)) faults.push("an assistant message is empty");
    for (const { id, function: called } of calls) {
      const { name, arguments: input } = isRecord(called) ? called : {};
      if (!matches(id, /^.{1,40}$/)) faults.push("tool_calls.id: string too long, or empty");
      if (open.includes(id)) faults.push("duplicate tool_call ids");
      if (!matches(name, /^[a-zA-Z0-9_-]{1,64}$/)) faults.push(`function.name "${String(name)}"`);
      // Templates of open models read the arguments of former calls as an object.
      const read = parse(input);
      if (!isRecord(read) || !isUnicode(read)) faults.push("function.arguments are no JSON object");
      open.push(id);
    }
  }
  if (open.length > 0) faults.push("'tool_calls' must be followed by tool messages for each tool_call_id");
  const spoken = roles.filter((role) => role !== "system");
  if (spoken[0] !== "user") faults.push("the first message is not the user's");
  if (spoken.at(-1) === "assistant") faults.push("the last message is the model's");
  return faults;
}

/** https://platform.openai.com/docs/api-reference/responses/create */
function checkResponses(body: Fields): readonly string[] {
  const faults: string[] = [];
  const input = list(body["input"]);
  if (input.length === 0) faults.push("input is empty");
  const calls = input.filter(({ type }) => type === "function_call");
  const outputs = input.filter(({ type }) => type === "function_call_output");
  const ids = calls.map((call) => call["call_id"]);
  if (
    !sameMembers(
      ids,
      outputs.map((output) => output["call_id"]),
    )
  )
    faults.push("no tool output found for function call, or no call for an output");
  if (new Set(ids).size < ids.length) faults.push("duplicate call_id");
  for (const call of calls) {
    if (!matches(call["call_id"], /^.{1,64}$/)) faults.push("call_id: string too long, or empty");
    if (!matches(call["name"], /^[a-zA-Z0-9_-]{1,128}$/)) faults.push(`name "${String(call["name"])}"`);
    if (typeof call["arguments"] !== "string" || !isUnicode(parse(call["arguments"])))
      faults.push("arguments are no text");
  }
  for (const [at, item] of input.entries()) {
    if (item["type"] === "function_call_output") {
      const before = input.slice(0, at).some((one) => one["call_id"] === item["call_id"]);
      if (!before) faults.push("an output comes before its call");
      continue;
    }
    if (item["role"] === "user" && !isSaid(item["content"])) faults.push("a user message is empty");
  }
  if (input.at(-1)?.["role"] === "assistant") faults.push("the last item is the model's");
  return faults;
}

/** https://ai.google.dev/api/caching#Content, and https://ai.google.dev/gemini-api/docs/function-calling */
function checkContents(body: Fields): readonly string[] {
  const faults: string[] = [];
  const contents = list(body["contents"]);
  if (contents.length === 0) faults.push("contents is not specified");
  if (contents[0]?.["role"] !== "user") faults.push("the first turn is not the user's");
  if (contents.at(-1)?.["role"] === "model") faults.push("the last turn is the model's");
  let calls = 0;
  for (const { role, parts: given } of contents) {
    const parts = list(given);
    if (parts.length === 0) faults.push("must include at least one parts field");
    for (const part of parts) {
      if ("text" in part && !hasText(part["text"])) faults.push("unable to submit a text part that is empty");
      const { functionCall: call, functionResponse: response } = part;
      if (isRecord(call)) {
        if (!matches(call["name"], /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/)) faults.push("functionCall.name");
        if (!isRecord(call["args"])) faults.push("functionCall.args is no object");
      }
      if (isRecord(response) && !isRecord(response["response"]))
        faults.push("functionResponse.response is no object");
    }
    const answers = parts.filter(({ functionResponse }) => functionResponse !== undefined).length;
    if (role === "model" && calls > 0) faults.push("a function call turn is followed by a model turn");
    if (role === "user" && answers !== calls)
      faults.push("function response parts are not equal in number to the function call parts before");
    calls = role === "model" ? parts.filter(({ functionCall }) => functionCall !== undefined).length : 0;
  }
  return faults;
}

/**
 * What APIs and templates of a family of models refuse, or answer badly to, beside the rules of their API: "Tool call id
 * was … but must be a-z, A-Z, 0-9, with a length of 9", "Unexpected role 'user' after role 'tool'", "Extra inputs are
 * not permitted" of `reasoning_content`, and
 * https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md
 */
export function findTemplateFaults(template: "mistral" | "kimi", body: string): readonly string[] {
  const messages = list((JSON.parse(body) as Fields)["messages"]);
  const faults: string[] = [];
  const sent = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    const { role, tool_calls: toolCalls, tool_call_id: answers } = message;
    if (template === "mistral" && "reasoning_content" in message)
      faults.push("Extra inputs are not permitted: reasoning_content");
    const before = messages[at - 1]?.["role"];
    if (template === "mistral" && role === "user" && (before === "tool" || before === "user"))
      faults.push(`Unexpected role 'user' after role '${before}'`);
    if (role === "tool" && !sent.has(answers))
      faults.push(`the result of an unknown call "${String(answers)}"`);
    for (const { id, function: called } of list(toolCalls)) {
      const name = isRecord(called) ? String(called["name"]) : "";
      const fits =
        template === "mistral" ? matches(id, /^[a-zA-Z0-9]{9}$/) : id === `functions.${name}:${sent.size}`;
      if (!fits) faults.push(`Tool call id was ${String(id)}`);
      if (sent.has(id)) faults.push("two calls have one id");
      sent.add(id);
    }
  }
  return faults;
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Whether no text of a value, and no name of a field, has half of a surrogate pair. */
function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isUnicode);
  return (
    !isRecord(value) || Object.entries(value).every(([key, part]) => key.isWellFormed() && isUnicode(part))
  );
}

function isSaid(content: unknown): boolean {
  if (typeof content === "string") return hasText(content);
  const parts = list(content);
  return parts.length > 0 && parts.every((part) => !("text" in part) || hasText(part["text"]));
}

function hasText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

function sameMembers(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
