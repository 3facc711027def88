// What recorded answers of model APIs say, read from their bytes without the adapter: what that has to make of them.
import { isRecord, parseJson } from "../../src/base/index.ts";
import type { ModelProvider } from "../../src/model/index.ts";

/** What an adapter has to make of one answer. */
export interface ExpectedAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly stop: "end" | "calls" | "length" | "refused";
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly reasoning: number;
}

/** One answer, as an API sends it, and what it says: undefined where it has no end, or is none of a chat API. */
export interface RecordedAnswer {
  readonly provider: ModelProvider;
  /** The status, and the body of an answer that is no stream. */
  readonly status: number;
  readonly whole?: string;
  /** The events of a stream, each as its text. */
  readonly events: readonly string[];
  readonly expected: ExpectedAnswer | undefined;
}

type Part = Readonly<Record<string, unknown>>;

/** The answers that a recorded file holds: some hold several, one after another. */
export function readRecorded(provider: ModelProvider, file: string, text: string): readonly RecordedAnswer[] {
  if (file.endsWith(".json")) return [readWhole(provider, text)];
  const lines = file.endsWith(".sse")
    ? text.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
    : text.split("\n").filter((line) => line.trim() !== "");
  const parsed = lines.map((line) => (line === "[DONE]" ? {} : parseJson(line)));
  if (parsed.some((event) => !isRecord(event)))
    return [{ provider, status: 200, events: lines, expected: undefined }];
  const events = parsed as readonly Part[];
  const form = findForm(provider, events);
  const begins = (event: Part) =>
    (form.name === "messages" && event["type"] === "message_start") ||
    (form.name === "responses" && event["type"] === "response.created");
  const answers: { lines: string[]; events: Part[] }[] = [];
  for (const [at, event] of events.entries()) {
    // A second message that begins before the first has ended is a fault of that.
    const last = answers.at(-1);
    const isNew = last === undefined || (begins(event) && hasEnded(form.name, last.events));
    if (isNew) answers.push({ lines: [], events: [] });
    answers.at(-1)?.lines.push(lines[at] as string);
    answers.at(-1)?.events.push(event);
  }
  return answers.map((answer) => ({
    provider: form.provider,
    status: 200,
    events: form.name === "chat" ? [...answer.lines, "[DONE]"] : answer.lines,
    expected: form.expect(answer.events),
  }));
}

interface Form {
  readonly name: "messages" | "responses" | "chat" | "contents" | "none";
  readonly provider: ModelProvider;
  readonly expect: (events: readonly Part[]) => ExpectedAnswer | undefined;
}

function findForm(provider: ModelProvider, events: readonly Part[]): Form {
  const has = (test: (event: Part) => boolean) => events.some(test);
  if (has(({ type }) => type === "message_start"))
    return { name: "messages", provider, expect: expectMessage };
  if (has(({ type }) => type === "response.created"))
    return { name: "responses", provider, expect: expectResponse };
  if (has(({ object }) => object === "chat.completion.chunk"))
    return { name: "chat", provider: "openai-compatible", expect: expectChat };
  if (has(({ candidates }) => candidates !== undefined))
    return { name: "contents", provider, expect: expectContents };
  return { name: "none", provider, expect: () => undefined };
}

function hasEnded(name: Form["name"], events: readonly Part[]): boolean {
  const ends =
    name === "messages" ? ["message_stop"] : ["response.completed", "response.incomplete", "response.failed"];
  return events.some(({ type }) => ends.includes(String(type)));
}

const read = (value: unknown): Part => (isRecord(value) ? value : {});
const list = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(read) : []);
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Anthropic's messages. Blocks of the server's own tools are none of ours. */
function expectMessage(events: readonly Part[]): ExpectedAnswer | undefined {
  const starts = events.filter(({ type }) => type === "message_start");
  const ids = new Set(starts.map(({ message }) => read(message)["id"]));
  if (!events.some(({ type }) => type === "message_stop") || ids.size > 1) return undefined;
  const blocks = new Map<unknown, { readonly block: Part; text: string; json: string }>();
  let usage: Part = read(read(starts[0]?.["message"])["usage"]);
  let reason: unknown;
  for (const event of events) {
    const { type, index } = event;
    if (type === "content_block_start") {
      const block = read(event["content_block"]);
      blocks.set(index, { block, text: readText(block["text"]), json: "" });
    }
    const delta = read(event["delta"]);
    const open = blocks.get(index);
    if (type === "content_block_delta" && open !== undefined) {
      if (delta["type"] === "text_delta") open.text += readText(delta["text"]);
      if (delta["type"] === "input_json_delta") open.json += readText(delta["partial_json"]);
    }
    if (type !== "message_delta") continue;
    reason = delta["stop_reason"];
    const said = Object.entries(read(event["usage"])).filter(([, value]) => value !== null);
    usage = { ...usage, ...Object.fromEntries(said) };
  }
  const whole = [...blocks.values()];
  // A message may begin with calls that a program of the server made.
  const before = starts.flatMap(({ message }) => list(read(message)["content"]));
  const calls = [...before.map((block) => ({ block, json: "" })), ...whole]
    .filter(({ block }) => block["type"] === "tool_use")
    .map(({ block, json }) => ({
      name: readText(block["name"]),
      input: json === "" ? block["input"] : parseJson(json),
    }));
  return {
    text: whole.map(({ block, text }) => (block["type"] === "text" ? text : "")).join(""),
    calls,
    stop: toMessageStop(reason, calls.length > 0),
    ...countMessage(usage),
  };
}

function toMessageStop(reason: unknown, hasCalls: boolean): ExpectedAnswer["stop"] {
  if (reason === "refusal") return "refused";
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  return hasCalls ? "calls" : "end";
}

/** What came before and after a cache is counted beside it; of passes within one request each is counted. */
function countMessage(usage: Part): Pick<ExpectedAnswer, "input" | "cacheRead" | "output" | "reasoning"> {
  const passes = list(usage["iterations"]);
  const own = passes.filter(({ type }) => type === "message" || type === "compaction");
  const isServedElsewhere = passes.some(({ type }) => type === "fallback_message");
  const counted = own.length > 0 && !isServedElsewhere ? own : [usage];
  const sum = (field: string) => counted.reduce((total, pass) => total + count(pass[field]), 0);
  const cacheRead = count(usage["cache_read_input_tokens"]);
  return {
    input: sum("input_tokens") + cacheRead + count(usage["cache_creation_input_tokens"]),
    cacheRead,
    output: sum("output_tokens"),
    reasoning: count(read(usage["output_tokens_details"])["thinking_tokens"]),
  };
}

/** What a call of a tool that is not described here may hold. */
export const anything: unique symbol = Symbol("anything");

const ownTools: Readonly<Record<string, string>> = {
  apply_patch_call: "apply_patch",
  local_shell_call: "local_shell",
  shell_call: "shell",
  tool_search_call: "tool_search",
};

/** OpenAI's responses: what the items say that are done. */
function expectResponse(events: readonly Part[]): ExpectedAnswer | undefined {
  const end = events.find(({ type }) => type === "response.completed" || type === "response.incomplete");
  if (end === undefined || events.some(({ type }) => type === "error")) return undefined;
  const items = events
    .filter(({ type }) => type === "response.output_item.done")
    .map(({ item }) => read(item));
  const calls = items.flatMap((item) => {
    const { type, name, execution } = item;
    if (type === "function_call")
      return [{ name: readText(name), input: parseJson(readText(item["arguments"])) }];
    // Tools of OpenAI's own that its client runs. Nobody here offers any; where one came, the gate would know of none.
    if (type === "custom_tool_call") return [{ name: readText(name), input: anything }];
    const own = ownTools[String(type)];
    return own === undefined || execution === "server" ? [] : [{ name: own, input: anything }];
  });
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  const usage = read(read(end["response"])["usage"]);
  return {
    text: deltas.map(({ delta }) => readText(delta)).join(""),
    calls,
    stop: calls.length > 0 ? "calls" : "end",
    input: count(usage["input_tokens"]),
    cacheRead: count(read(usage["input_tokens_details"])["cached_tokens"]),
    output: count(usage["output_tokens"]),
    reasoning: count(read(usage["output_tokens_details"])["reasoning_tokens"]),
  };
}

/** Chunks of a chat completion. */
function expectChat(events: readonly Part[]): ExpectedAnswer | undefined {
  const choices = events.flatMap(({ choices: all }) => list(all).slice(0, 1));
  const reason = choices
    .map((choice) => choice["finish_reason"])
    .findLast((each) => typeof each === "string");
  if (reason === undefined) return undefined;
  const calls = new Map<unknown, { name: string; json: string }>();
  for (const choice of choices)
    for (const { index, function: made } of list(read(choice["delta"])["tool_calls"])) {
      const call = calls.get(index) ?? { name: "", json: "" };
      calls.set(index, call);
      call.name ||= readText(read(made)["name"]);
      call.json += readText(read(made)["arguments"]);
    }
  const usage = read(events.findLast((event) => isRecord(event["usage"]))?.["usage"]);
  return {
    text: choices.map((choice) => readText(read(choice["delta"])["content"])).join(""),
    calls: [...calls.values()].map(({ name, json }) => ({ name, input: parseJson(json) })),
    stop: reason === "length" ? "length" : calls.size > 0 ? "calls" : "end",
    ...countChat(usage),
  };
}

/** xAI counts thoughts beside the answer, which its total shows. */
function countChat(usage: Part): Pick<ExpectedAnswer, "input" | "cacheRead" | "output" | "reasoning"> {
  const input = count(usage["prompt_tokens"]);
  const reasoning = count(read(usage["completion_tokens_details"])["reasoning_tokens"]);
  return {
    input,
    cacheRead: count(read(usage["prompt_tokens_details"])["cached_tokens"]),
    output: Math.max(count(usage["completion_tokens"]), count(usage["total_tokens"]) - input),
    reasoning,
  };
}

/** Google's contents. Arguments may come in pieces, each with its path. */
function expectContents(events: readonly Part[]): ExpectedAnswer | undefined {
  const candidates = events.flatMap(({ candidates: all }) => list(all).slice(0, 1));
  const reason = candidates.map((one) => one["finishReason"]).findLast((each) => each !== undefined);
  const parts = candidates.flatMap((one) => list(read(one["content"])["parts"]));
  const calls: { name: string; input: unknown }[] = [];
  for (const part of parts) {
    const call = read(part["functionCall"]);
    if (typeof call["name"] === "string") calls.push({ name: call["name"], input: call["args"] ?? {} });
    for (const piece of list(call["partialArgs"])) addPiece(read(calls.at(-1)?.input), piece);
  }
  const usage = read(events.findLast((event) => isRecord(event["usageMetadata"]))?.["usageMetadata"]);
  const reasoning = count(usage["thoughtsTokenCount"]);
  return {
    text: parts.map((part) => (part["thought"] === true ? "" : readText(part["text"]))).join(""),
    calls,
    stop: reason === "MAX_TOKENS" ? "length" : calls.length > 0 ? "calls" : "end",
    input: count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]),
    cacheRead: count(usage["cachedContentTokenCount"]),
    output: count(usage["candidatesTokenCount"]) + reasoning,
    reasoning,
  };
}

/** Puts one piece of arguments at its path: `$.recipe.ingredients[0].name`. */
function addPiece(root: Part, piece: Part): void {
  const keys = readText(piece["jsonPath"]).match(/[^.[\]$]+/g) ?? [];
  let at = root as Record<string, unknown>;
  for (const [depth, key] of keys.entries()) {
    if (depth === keys.length - 1) {
      const before = at[key];
      if (typeof piece["stringValue"] === "string") at[key] = readText(before) + piece["stringValue"];
      else at[key] = piece["numberValue"] ?? piece["boolValue"] ?? null;
      return;
    }
    at[key] ??= /^\d+$/.test(keys[depth + 1] ?? "") ? [] : {};
    at = at[key] as Record<string, unknown>;
  }
}

/** An answer that is no stream: an error with its status, or a whole answer as the stream that says the same. */
function readWhole(provider: ModelProvider, text: string): RecordedAnswer {
  const value = read(parseJson(text));
  const error = read(value["error"]);
  if (isRecord(value["error"])) {
    const isLimit = /quota|rate_limit|RESOURCE_EXHAUSTED/.test(text);
    const status = count(error["code"]) || (isLimit ? 429 : 400);
    return { provider, status, whole: text, events: [], expected: undefined };
  }
  if (value["object"] === "chat.completion") {
    const choice = read(list(value["choices"])[0]);
    const chunk = {
      ...value,
      object: "chat.completion.chunk",
      choices: [{ ...choice, delta: choice["message"] }],
    };
    const expected = expectChat([chunk]);
    // Some servers answer whole though a stream was asked for.
    return { provider: "openai-compatible", status: 200, whole: text, events: [], expected };
  }
  const events = toEvents(provider, value);
  if (events === undefined) return { provider, status: 200, whole: text, events: [], expected: undefined };
  const { expect } = findForm(provider, events);
  return {
    provider,
    status: 200,
    events: events.map((event) => JSON.stringify(event)),
    expected: expect(events),
  };
}

function toEvents(provider: ModelProvider, value: Part): readonly Part[] | undefined {
  if (provider === "anthropic" && value["type"] === "message") return streamMessage(value);
  if (provider === "openai" && value["object"] === "response") return streamResponse(value);
  return provider === "google" && value["candidates"] !== undefined ? [value] : undefined;
}

function streamMessage(message: Part): readonly Part[] {
  const { content, usage, stop_reason: stopReason, stop_sequence: sequence, ...rest } = message;
  const blocks = list(content).flatMap((block, index) => {
    const { type, text, thinking, signature, input } = block;
    const delta = (part: object) => ({ type: "content_block_delta", index, delta: part });
    const streamed =
      type === "text"
        ? [{ ...block, text: "" }, delta({ type: "text_delta", text })]
        : type === "thinking"
          ? [
              { type, thinking: "" },
              delta({ type: "thinking_delta", thinking }),
              delta({ type: "signature_delta", signature }),
            ]
          : type === "tool_use"
            ? [
                { ...block, input: {} },
                delta({ type: "input_json_delta", partial_json: JSON.stringify(input) }),
              ]
            : [block];
    const [start, ...deltas] = streamed;
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas,
      { type: "content_block_stop", index },
    ];
  });
  const end = { stop_reason: stopReason, stop_sequence: sequence, stop_details: message["stop_details"] };
  return [
    { type: "message_start", message: { ...rest, content: [], stop_reason: null, usage } },
    ...blocks,
    { type: "message_delta", delta: end, usage },
    { type: "message_stop" },
  ];
}

function streamResponse(response: Part): readonly Part[] {
  const items = list(response["output"]).flatMap((item, at) => {
    const texts = item["type"] === "message" ? list(item["content"]) : [];
    return [
      { type: "response.output_item.added", output_index: at, item: { ...item, content: [] } },
      ...texts.map((part, index) => ({
        type: "response.output_text.delta",
        item_id: item["id"],
        output_index: at,
        content_index: index,
        delta: part["text"],
      })),
      { type: "response.output_item.done", output_index: at, item },
    ];
  });
  return [
    { type: "response.created", response: { ...response, output: [], usage: null } },
    ...items,
    { type: "response.completed", response },
  ];
}
