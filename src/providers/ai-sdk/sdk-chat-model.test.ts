import { expect, test } from "vitest";
import { openTestConnector } from "../../../test/support/connect.ts";
import {
  askModel,
  collect,
  collectFault,
  hello,
  serveModel,
  streamEvents,
} from "../../../test/support/model-server.ts";
import {
  addToBlock,
  beginBlock,
  callBlock,
  messageEnd,
  started,
  stopped,
  textBlock,
  wire,
} from "../../../test/support/model-wires.ts";
import { type ChatEvent, type ChatMessage, modelProviders } from "../../model/index.ts";
import { modelProviderEntries, openChatModel } from "../index.ts";

const picture = { type: "image", mimeType: "image/png", data: "aGk=" } as const;
const conversation: readonly ChatMessage[] = [
  { role: "user", parts: [{ type: "text", text: "look" }, picture] },
  {
    role: "assistant",
    parts: [
      {
        type: "reasoning",
        text: "hm",
        opaque: { model: "anthropic/small", data: { anthropic: { signature: "s1" } } },
      },
      {
        type: "reasoning",
        text: "other",
        opaque: { model: "openai/else", data: { openai: { itemId: "r1" } } },
      },
      { type: "text", text: "I read." },
      { type: "call", id: "c1", name: "read", input: '{"path":  "a"}' },
      { type: "call", id: "c2", name: "read", input: '{"path' },
      { type: "call", id: "c3", name: "list", input: "" },
    ],
  },
  {
    role: "tool",
    results: [
      { callId: "c1", name: "read", text: "alpha", failed: false, images: [picture] },
      { callId: "c2", name: "read", text: "no JSON", failed: true },
      { callId: "c3", name: "list", text: "", failed: false },
    ],
  },
];
const tools = [
  { name: "read", description: "Read a file.", parameters: { type: "object", properties: {} } },
  { name: "list", description: "List files.", parameters: { type: "object", properties: {} } },
] as const;

test("an OpenAI-compatible API is asked with the whole conversation, its calls byte for byte", async () => {
  const { open, asked } = await serveModel(streamEvents(wire("openai-compatible", "text", "end")));
  const system = [{ text: "Be kind.", mark: true }, { text: "" }, { text: "Be short." }];
  await collect(
    open("openai-compatible", { facts: { images: true } }).stream(
      hello({ system, messages: conversation, tools, toolChoice: "none", effort: "low", maxTokens: 9 }),
    ),
  );
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const call = (id: string, name: string, input: string) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  });
  expect(asked[0]?.body).toMatchObject({
    max_tokens: 9,
    reasoning_effort: "low",
    tool_choice: "none",
    messages: [
      { role: "system", content: "Be kind.\n\nBe short." },
      { role: "user", content: [{ type: "text", text: "look" }, image] },
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          call("c1", "read", '{"path":  "a"}'),
          call("c2", "read", '{"unreadable":"{\\"path"}'),
          call("c3", "list", "{}"),
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "alpha" },
      { role: "tool", tool_call_id: "c2", content: "no JSON" },
      { role: "tool", tool_call_id: "c3", content: "" },
      { role: "user", content: [{ type: "text", text: "Pictures of the results above:" }, image] },
    ],
  });
  expect(JSON.stringify(asked[0]?.body)).not.toMatch(/reasoning_content|s1|"hm"|"other"/);
});

test("Anthropic is asked with its own signatures and no other model's, and at most four marks", async () => {
  const { open, asked } = await serveModel(streamEvents(wire("anthropic", "text", "end")));
  const system = [{ text: "Rules.", mark: true }, { text: "Memory.", mark: true }, { text: "Else." }];
  const facts = { images: true };
  await collect(open("anthropic", { facts }).stream(hello({ system, messages: conversation, tools })));
  const { body } = asked[0] ?? { body: {} };
  expect(body).toMatchObject({
    system: [
      { text: "Rules." },
      { text: "Memory.", cache_control: { type: "ephemeral" } },
      { text: "Else." },
    ],
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s1" },
          { type: "text", text: "I read." },
          { type: "tool_use", id: "c1", input: { path: "a" } },
          { type: "tool_use", id: "c2", input: { unreadable: '{"path' } },
          { type: "tool_use", id: "c3", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [
              { type: "text", text: "alpha" },
              { type: "image", source: { data: "aGk=" } },
            ],
          },
          { type: "tool_result", tool_use_id: "c2", is_error: true },
          { type: "tool_result", tool_use_id: "c3", cache_control: { type: "ephemeral" } },
        ],
      },
    ],
    tools: [{ name: "read" }, { name: "list", cache_control: { type: "ephemeral" } }],
  });
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  await collect(open("anthropic").stream(hello({ system: [{ text: "Once." }], tools })));
  expect(JSON.stringify(asked[1]?.body)).not.toContain("cache_control");
  await collect(open("anthropic", { facts: { maxOutputTokens: 9000 } }).stream(hello()));
  expect(asked.map((one) => one.body["max_tokens"])).toEqual([4096, 4096, 9000]);
});

test("thoughts keep what only their model understands, and go back to it", async () => {
  const { open, asked } = await serveModel(
    streamEvents([
      started,
      beginBlock(0, { type: "thinking", thinking: "" }),
      addToBlock(0, { type: "thinking_delta", thinking: "first " }),
      addToBlock(0, { type: "thinking_delta", thinking: "this" }),
      addToBlock(0, { type: "signature_delta", signature: "SIG" }),
      { type: "content_block_stop", index: 0 },
      ...callBlock(1, "c1", "read", "{}"),
      ...messageEnd("tool_use"),
    ]),
  );
  const model = open("anthropic");
  const said = await collect(model.stream(hello({ tools })));
  expect(said.slice(0, 2)).toEqual([
    { type: "reasoning", delta: "first " },
    { type: "reasoning", delta: "this" },
  ]);
  const answer = lastAnswer(said);
  expect(answer?.parts[0]).toEqual({
    type: "reasoning",
    text: "first this",
    opaque: { model: "anthropic/small", data: { anthropic: { signature: "SIG" } } },
  });
  const result = { callId: "c1", name: "read", text: "ok", failed: false };
  const messages = [
    ...hello().messages,
    ...(answer ? [answer] : []),
    { role: "tool", results: [result] } as const,
  ];
  await collect(model.stream(hello({ tools, messages })));
  expect(JSON.stringify(asked[1]?.body)).toContain(
    '{"type":"thinking","thinking":"first this","signature":"SIG"}',
  );
});

test("what Anthropic counts is not counted twice", async () => {
  const { end } = await askModel(
    "anthropic",
    streamEvents([started, ...textBlock("hi"), ...messageEnd("end_turn")]),
  );
  expect(end).toMatchObject({
    usage: {
      inputTokens: 107,
      cacheReadTokens: 90,
      cacheWriteTokens: 7,
      outputTokens: 12,
      reasoningTokens: 5,
    },
  });
});

test.for([
  [
    "OpenAI's own form",
    {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 8 },
    },
    { inputTokens: 100, cacheReadTokens: 64, outputTokens: 20, reasoningTokens: 8 },
  ],
  [
    "thoughts beside the answer, and a cost in ticks",
    {
      prompt_tokens: 12,
      completion_tokens: 2,
      total_tokens: 354,
      completion_tokens_details: { reasoning_tokens: 340 },
      cost_in_usd_ticks: 1_721_250,
    },
    { inputTokens: 12, outputTokens: 342, reasoningTokens: 340, costMicros: 172 },
  ],
  [
    "a cache in words of its own",
    { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 90 },
    { inputTokens: 100, cacheReadTokens: 90, outputTokens: 1 },
  ],
  [
    "a cost in USD, and a written cache",
    {
      prompt_tokens: 100,
      completion_tokens: 1,
      cost: 0.0123,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 40 },
    },
    { inputTokens: 100, cacheReadTokens: 3, cacheWriteTokens: 40, costMicros: 12_300 },
  ],
  ["nothing", undefined, { inputTokens: 0, outputTokens: 0 }],
] as const)("usage is read from %s", async ([, usage, expected]) => {
  const events = [...wire("openai-compatible", "text"), stopped("stop"), { choices: [], usage }, "[DONE]"];
  const { end } = await askModel("openai-compatible", streamEvents(events));
  expect(end).toMatchObject({ usage: expected });
});

test("calls count even where the server says that it just stopped", async () => {
  const { end } = await askModel(
    "openai-compatible",
    streamEvents(wire("openai-compatible", "calls", "end")),
  );
  expect(end).toMatchObject({ stop: "calls" });
});

test("the query of a configured address goes along", async () => {
  const { url, asked } = await serveModel(streamEvents(wire("openai-compatible", "text", "end")));
  const model = openChatModel("openai-compatible", {
    connector: openTestConnector(),
    baseUrl: `${url}?api-version=7`,
    model: "m",
    setting: "models.main",
  });
  await collect(model.stream(hello()));
  expect(asked[0]?.path).toBe("/v1/chat/completions?api-version=7");
});

test("the providers are those that the configuration names", () => {
  expect(modelProviderEntries.map(({ id }) => id)).toEqual([...modelProviders]);
});

test("a package that is not installed is named", async () => {
  const { url } = await serveModel(() => undefined);
  const model = openChatModel("openrouter", {
    connector: openTestConnector(),
    baseUrl: url,
    model: "m",
    setting: "models.main",
  });
  const { fault } = await collectFault(model.stream(hello()));
  expect(fault).toMatchObject({
    code: "MODEL_PACKAGE",
    message: expect.stringContaining("npm install @openrouter/ai-sdk-provider"),
    details: { package: "@openrouter/ai-sdk-provider", retry: false },
  });
});

test("a model without an address needs one, and a provider of its own knows it", () => {
  const settings = { connector: openTestConnector(), model: "m", setting: "models.main" };
  expect(() => openChatModel("openai-compatible", settings)).toThrow(
    expect.objectContaining({
      code: "MODEL_SETUP",
      message: expect.stringContaining("models.main has no url"),
    }),
  );
  expect(openChatModel("anthropic", settings).facts.quota).toContain("api.anthropic.com");
});

function lastAnswer(said: readonly ChatEvent[]) {
  const end = said.at(-1);
  return end?.type === "end" ? end.message : undefined;
}
