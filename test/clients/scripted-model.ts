import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isRecord, parseJson } from "../../src/base/index.ts";

/** One request that a client sent to the model. */
export interface ModelTurn {
  /** The names of the tools that the client shows the model. */
  readonly tools: readonly string[];
  /** The text of each tool result of the conversation, oldest first. */
  readonly results: readonly string[];
  /** The whole body of the request. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the model answers: a call of a tool, or a text that ends the conversation. */
export type ModelAnswer =
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly text: string };

export interface ScriptedModel extends AsyncDisposable {
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Every request that had tools, in order. */
  readonly turns: readonly ModelTurn[];
}

/**
 * A model on loopback that follows a script. It speaks Anthropic Messages, OpenAI Responses and Chat Completions, and
 * Gemini's generateContent, whole or streamed. A request without tools (a title, a summary) gets a short text.
 */
export async function startScriptedModel(script: (turn: ModelTurn) => ModelAnswer): Promise<ScriptedModel> {
  const turns: ModelTurn[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, (turn) => {
      if (turn.tools.length === 0) return { text: "A title" };
      turns.push(turn);
      return script(turn);
    }).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    turns,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Body = Readonly<Record<string, unknown>>;

interface Dialect {
  readonly path: RegExp;
  readonly read: (body: Body) => Omit<ModelTurn, "body">;
  readonly streams: (body: Body, url: string) => boolean;
  readonly whole: (answer: ModelAnswer, id: string) => Body;
  /** The events of a stream: each has a name, or none where the dialect has none. */
  readonly events: (answer: ModelAnswer, id: string) => readonly (readonly [string | undefined, unknown])[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  decide: (turn: ModelTurn) => ModelAnswer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = request.url ?? "";
  const dialect = dialects.find(({ path }) => path.test(url));
  if (request.method !== "POST" || dialect === undefined) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: [], models: [], input_tokens: 1, totalTokens: 1 }));
    return;
  }
  const parsed = parseJson(Buffer.concat(chunks).toString());
  const body = isRecord(parsed) ? parsed : {};
  const reply = decide({ ...dialect.read(body), body });
  const id = crypto.randomUUID().replaceAll("-", "");
  if (!dialect.streams(body, url)) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(dialect.whole(reply, id)));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  for (const [name, data] of dialect.events(reply, id)) {
    if (name !== undefined) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

const model = "scripted";

const messages: Dialect = {
  path: /\/messages(\?|$)/,
  read: ({ tools, messages }) => ({
    tools: namesIn(tools),
    results: records(messages)
      .flatMap(({ content }) => records(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => textIn(content)),
  }),
  streams: ({ stream }) => stream === true,
  whole: (reply, id) => ({ ...messageHead(id), ...messageEnd(reply), content: [messageBlock(reply, id)] }),
  events: (reply, id) => [
    ["message_start", { type: "message_start", message: { ...messageHead(id), content: [] } }],
    [
      "content_block_start",
      {
        type: "content_block_start",
        index: 0,
        content_block:
          "call" in reply ? { ...messageBlock(reply, id), input: {} } : { type: "text", text: "" },
      },
    ],
    [
      "content_block_delta",
      {
        type: "content_block_delta",
        index: 0,
        delta:
          "call" in reply
            ? { type: "input_json_delta", partial_json: JSON.stringify(reply.args) }
            : { type: "text_delta", text: reply.text },
      },
    ],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: messageEnd(reply), usage: { output_tokens: 1 } }],
    ["message_stop", { type: "message_stop" }],
  ],
};

function messageHead(id: string): Body {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
}

function messageEnd(reply: ModelAnswer): Body {
  return { stop_reason: "call" in reply ? "tool_use" : "end_turn", stop_sequence: null };
}

function messageBlock(reply: ModelAnswer, id: string): Body {
  if ("text" in reply) return { type: "text", text: reply.text };
  return { type: "tool_use", id: `toolu_${id}`, name: reply.call, input: reply.args };
}

const responses: Dialect = {
  path: /\/responses(\?|$)/,
  read: ({ tools, input }) => ({
    tools: namesIn(tools),
    results: records(input)
      .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
      .map(({ output }) => textIn(output)),
  }),
  streams: ({ stream }) => stream === true,
  whole: (reply, id) => responseBody(reply, id, "completed"),
  events: (reply, id) => {
    const item = responseItem(reply, id);
    const delta =
      "call" in reply
        ? { type: "response.function_call_arguments.delta", delta: JSON.stringify(reply.args) }
        : { type: "response.output_text.delta", content_index: 0, delta: reply.text };
    const events = [
      { type: "response.created", response: responseBody(undefined, id, "in_progress") },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", ...blank(item) },
      },
      { ...delta, item_id: item["id"], output_index: 0 },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responseBody(reply, id, "completed") },
    ];
    return events.map((event, index) => [event.type, { ...event, sequence_number: index }]);
  },
};

function blank(item: Body): Body {
  return item["type"] === "message" ? { content: [] } : { arguments: "" };
}

function responseBody(reply: ModelAnswer | undefined, id: string, status: string): Body {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    model,
    status,
    output: reply === undefined ? [] : [responseItem(reply, id)],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  };
}

function responseItem(reply: ModelAnswer, id: string): Body {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  }
  // A client may put the tools of one server into a namespace of their own.
  const [namespace, name] = reply.call.includes("\0") ? reply.call.split("\0") : [undefined, reply.call];
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(reply.args),
    status: "completed",
  };
}

const completions: Dialect = {
  path: /\/chat\/completions(\?|$)/,
  read: ({ tools, messages }) => ({
    tools: namesIn(tools),
    results: records(messages)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => textIn(content)),
  }),
  streams: ({ stream }) => stream === true,
  whole: (reply, id) => ({
    ...completionHead(id, "chat.completion"),
    choices: [
      { index: 0, message: { role: "assistant", ...completionPart(reply, id) }, ...completionEnd(reply) },
    ],
    usage: completionUsage,
  }),
  events: (reply, id) => {
    const chunk = { ...completionHead(id, "chat.completion.chunk") };
    const delta = { role: "assistant", ...completionPart(reply, id) };
    return [
      [undefined, { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] }],
      [
        undefined,
        { ...chunk, choices: [{ index: 0, delta: {}, ...completionEnd(reply) }], usage: completionUsage },
      ],
      [undefined, "[DONE]"],
    ];
  },
};

const completionUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function completionHead(id: string, object: string): Body {
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model };
}

function completionEnd(reply: ModelAnswer): Body {
  return { finish_reason: "call" in reply ? "tool_calls" : "stop" };
}

function completionPart(reply: ModelAnswer, id: string): Body {
  if ("text" in reply) return { content: reply.text };
  const called = { name: reply.call, arguments: JSON.stringify(reply.args) };
  return { content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: called }] };
}

const gemini: Dialect = {
  path: /:(streamG|g)enerateContent(\?|$)/,
  read: ({ tools, contents }) => ({
    tools: records(tools).flatMap(({ functionDeclarations }) => namesIn(functionDeclarations)),
    results: records(contents)
      .flatMap(({ parts }) => records(parts))
      .flatMap(({ functionResponse }) =>
        isRecord(functionResponse) ? [JSON.stringify(functionResponse["response"])] : [],
      ),
  }),
  streams: (_body, url) => url.includes(":stream"),
  whole: (reply) => geminiBody(reply),
  events: (reply) => [[undefined, geminiBody(reply)]],
};

function geminiBody(reply: ModelAnswer): Body {
  const part =
    "call" in reply ? { functionCall: { name: reply.call, args: reply.args } } : { text: reply.text };
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: model,
  };
}

const dialects = [messages, responses, completions, gemini];

function records(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The names of tools in any dialect; those in a namespace have it in front, and `\0` between. */
function namesIn(tools: unknown): string[] {
  return records(tools).flatMap((tool): string[] => {
    const { name, type } = isRecord(tool["function"]) ? tool["function"] : tool;
    if (Array.isArray(tool["tools"]))
      return namesIn(tool["tools"]).map((inner) => `${String(name)}\0${inner}`);
    return [typeof name === "string" ? name : String(type)];
  });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return records(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}
