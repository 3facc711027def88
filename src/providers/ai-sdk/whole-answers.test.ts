import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openTestConnector } from "../../../test/support/connect.ts";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { asModel, type Model, withDeadlines } from "../../model/index.ts";
import { type ChatModelSettings, openChatModel } from "../index.ts";

type Answer = (body: Record<string, unknown>, response: ServerResponse) => object | undefined;

const say =
  (content: unknown, choice: object = {}): Answer =>
  () => ({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop", ...choice }] });

interface TestModelOptions extends Partial<ChatModelSettings> {
  readonly timeoutMs?: number;
}

/** A model that is asked for whole answers, over an adapter that streams. */
function openWholeModel(options: TestModelOptions): Model {
  const { timeoutMs = 60_000, ...settings } = options;
  const chat = openChatModel("openai-compatible", {
    connector: openTestConnector(),
    model: "small",
    setting: "memory.model",
    ...settings,
  });
  return asModel(withDeadlines(chat, { wholeMs: timeoutMs }));
}

/** An API on loopback. */
async function serveChat(answer: Answer = say("hello")) {
  const asked: Record<string, unknown>[] = [];
  const { url } = await listenOnLoopback(async (request: IncomingMessage, response) => {
    const body = (await json(request)) as Record<string, unknown>;
    asked.push({ ...body, path: request.url, key: request.headers.authorization });
    const said = answer(body, response);
    if (said !== undefined) response.setHeader("content-type", "application/json").end(JSON.stringify(said));
  });
  const model = (options: TestModelOptions = {}) => openWholeModel({ baseUrl: `${url}/v1`, ...options });
  return { url, asked, model };
}

const { signal } = new AbortController();
const hello = { messages: [{ role: "user", text: "hi" }], signal } as const;
const schema = { type: "object", properties: { n: { type: "number" } } };

describe("asModel() over an OpenAI-compatible API", () => {
  test("asks with the system text, the messages and the key, and gives the answer and what it cost", async () => {
    const { asked, model } = await serveChat((body, response) => ({
      ...say("hello")(body, response),
      usage: { prompt_tokens: 7, completion_tokens: 2 },
    }));
    const answer = await model({ apiKey: async () => "sk-1" }).complete({
      system: "Be kind.",
      messages: [...hello.messages, { role: "assistant", text: "ho" }, { role: "user", text: "and?" }],
      maxTokens: 50,
      signal,
    });
    expect(answer).toEqual({ text: "hello", stop: "end", usage: { inputTokens: 7, outputTokens: 2 } });
    expect(asked).toEqual([
      {
        model: "small",
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "hi" },
          { role: "assistant", content: "ho" },
          { role: "user", content: "and?" },
        ],
        max_tokens: 50,
        stream: true,
        stream_options: { include_usage: true },
        path: "/v1/chat/completions",
        key: "Bearer sk-1",
      },
    ]);
  });

  test.for([
    ["json_schema", { type: "json_schema", json_schema: { name: "answer", schema } }],
    ["json_object", { type: "json_object" }],
    ["words", undefined],
  ] as const)("asks for JSON by %s, and in words", async ([jsonBy, format]) => {
    const { asked, model } = await serveChat(say('{"n": 1}'));
    expect(await model({ jsonBy }).complete({ ...hello, json: schema })).toMatchObject({ value: { n: 1 } });
    expect(asked[0]?.["response_format"]).toEqual(format);
    expect(JSON.stringify(asked[0]?.["messages"])).toContain("like this schema");
  });

  test.for([
    ["```json\n[1]\n```", [1]],
    ["<think>hm, {</think>\n[1]", [1]],
    ["[1", undefined],
    ["I'd rather not", undefined],
  ] as const)("reads %j as JSON where it is", async ([said, value]) => {
    const { model } = await serveChat(say(said));
    expect(await model().complete({ ...hello, json: schema })).toEqual({
      text: said,
      stop: "end",
      ...(value && { value }),
    });
  });

  test("says that an answer was cut off, or kept back", async () => {
    const completeStop = async (answer: Answer) => {
      const { model } = await serveChat(answer);
      const { text, stop } = await model().complete(hello);
      return [text, stop];
    };
    expect(await completeStop(say("hel", { finish_reason: "length" }))).toEqual(["hel", "length"]);
    expect(await completeStop(say("", { finish_reason: "content_filter" }))).toEqual(["", "refused"]);
    expect(await completeStop(() => ({ choices: [{ message: { content: null, refusal: "No." } }] }))).toEqual(
      ["No.", "refused"],
    );
  });

  test.for([
    ["no JSON", "<html>"],
    ["no choice", { choices: [] }],
    ["no text", { choices: [{ message: { content: null } }] }],
    ["another list", []],
  ] as const)("refuses an answer with %s", async ([, said]) => {
    const { model } = await serveChat(() => said as object);
    await expect(model().complete(hello)).rejects.toMatchObject({ code: "MODEL_ANSWER" });
  });

  test.for([
    [429, { "retry-after": "7" }, "MODEL_RATE_LIMIT", { status: 429, retryAfterMs: 7000 }],
    [503, {}, "MODEL_OVERLOADED", { status: 503 }],
    [500, { "retry-after": "soon" }, "MODEL_STATUS", { status: 500 }],
    [429, { "retry-after": "999999" }, "MODEL_RATE_LIMIT", { status: 429, retryAfterMs: 86_400_000 }],
    [401, { "retry-after": "7" }, "MODEL_AUTH", { status: 401, retry: false }],
    [400, {}, "MODEL_BAD_REQUEST", { status: 400, retry: false }],
  ] as const)("says of %i with %j whether to ask again", async ([status, headers, code, details]) => {
    const { asked, model } = await serveChat((_, response) => {
      response.writeHead(status, headers).end('{"error": {"message": "not for sk-secret"}}');
      return undefined;
    });
    const refusal = model({ apiKey: async () => "sk-secret" }).complete(hello);
    await expect(refusal).rejects.toMatchObject({
      code,
      details,
      message: expect.stringMatching(/^Cannot ask the model "small" at .*not for \[the key\]/),
    });
    expect(asked).toHaveLength(1);
  });

  test("gives up at its time, and rejects with the reason of its signal", async () => {
    const reached = Promise.withResolvers<void>();
    const { model } = await serveChat(() => {
      reached.resolve();
      return undefined;
    });
    const late = model({ timeoutMs: 50 }).complete(hello);
    await expect(late).rejects.toMatchObject({ code: "MODEL_TIMEOUT", details: { timeoutMs: 50 } });
    const controller = new AbortController();
    const asked = model().complete({ ...hello, signal: controller.signal });
    await reached.promise;
    controller.abort(new Error("no longer wanted"));
    await expect(asked).rejects.toThrow("no longer wanted");
  });

  test("reads no answer without end, and reaches a metadata service for nobody", async () => {
    const { model } = await serveChat((_, response) => {
      response.writeHead(200, { "content-length": "9000000" }).write("{");
      return undefined;
    });
    await expect(model().complete(hello)).rejects.toThrow();
    const baseUrl = "http://169.254.169.254/v1";
    await expect(model({ baseUrl }).complete(hello)).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  });
});

test.for(["ftp://host/v1", "https://user:password@host/v1", "host/v1"])(
  "openChatModel() refuses the address %j, and does not show it",
  (baseUrl) => {
    const make = () => openWholeModel({ baseUrl });
    expect(make).toThrow(expect.objectContaining({ code: "MODEL_SETUP" }));
    expect(make).not.toThrow(/user:/);
  },
);
