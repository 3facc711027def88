import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { collect, hello, refuseWith, serveModel, streamEvents } from "../../../test/support/model-server.ts";
import { wire } from "../../../test/support/model-wires.ts";
import { asModel, findPrices } from "../../model/index.ts";
import { createScriptedChat } from "../../testing/index.ts";
import { findKnownFacts } from "./known-models.ts";
import { tryModel } from "./try-model.ts";

const says = streamEvents(wire("openai-compatible", "text", "end"));

test("a model of the configuration is asked with its key, its fallbacks and its effort, and without secrets", async () => {
  const busy = await serveModel(refuseWith(402, { error: { message: "no credit" } }));
  const backup = await serveModel(says);
  const { app } = await new Installation().open(`models:
  main:
    provider: openai-compatible
    url: ${busy.url}
    model: big
    apiKey: sk-written-in-the-file
    fallback: [backup]
  backup: { provider: openai-compatible, url: "${backup.url}", model: small, apiKey: "\${secret:BACKUP}", effort: low }
agent: { model: main }
`);
  await app.secrets.set("local", "BACKUP", "sk-stored-secret");
  expect(app.models.names).toEqual(["main", "backup"]);
  expect(app.models.agentModel).toBe("main");
  const chat = await app.models.open("main");
  expect(await app.models.open("main")).toBe(chat);
  const text = "Key: sk-written-in-the-file, or sk-stored-secret?";
  const parts = [{ type: "text", text }] as const;
  const said = await collect(
    chat.stream(
      hello({
        system: [{ text }],
        messages: [
          { role: "user", parts },
          {
            role: "assistant",
            parts: [...parts, { type: "call", id: "c", name: "t", input: `{"a": "${text}"}` }],
          },
          { role: "tool", results: [{ callId: "c", name: "t", text, failed: false }] },
        ],
      }),
    ),
  );
  expect(said.at(-1)).toMatchObject({ type: "end", model: "openai-compatible/small" });
  expect(busy.asked).toHaveLength(1);
  expect(busy.asked[0]?.headers.authorization).toBe("Bearer sk-written-in-the-file");
  expect(backup.asked[0]?.headers.authorization).toBe("Bearer sk-stored-secret");
  expect(backup.asked[0]?.body["reasoning_effort"]).toBe("low");
  for (const { body } of [...busy.asked, ...backup.asked])
    expect(JSON.stringify(body)).not.toMatch(/sk-written|sk-stored/);
});

test("the owner is told of a key that is refused while the fallback answers", async () => {
  const wrong = await serveModel(refuseWith(401, { error: { message: "no such key" } }));
  const backup = await serveModel(says);
  const errors: unknown[] = [];
  const { app } = await new Installation().open(
    `models:
  main: { provider: openai-compatible, url: "${wrong.url}", model: big, apiKey: sk-wrong, fallback: [backup] }
  backup: { provider: openai-compatible, url: "${backup.url}", model: small }
`,
    { onError: (error) => errors.push(error) },
  );
  const said = await collect((await app.models.open("main")).stream(hello()));
  expect(said.at(-1)).toMatchObject({ type: "end", model: "openai-compatible/small" });
  expect(errors).toMatchObject([{ code: "MODEL_AUTH", message: expect.stringContaining("no such key") }]);
});

test("what models lack is listed, each with its remedy, and nobody is reached", async () => {
  const { app } = await new Installation().open(`models:
  main: { provider: anthropic, model: claude-sonnet-4-5, apiKey: "\${secret:NONE}", fallback: [nobody] }
  keyless: { provider: anthropic, model: claude-sonnet-4-5 }
  homeless: { provider: openai-compatible, model: m }
  packless: { provider: openrouter, model: m, apiKey: k-1234567890 }
  fine: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: m, contextTokens: 8000, prices: { input: 1, output: 2 } }
agent: { model: main, memoryModel: fine }
`);
  const list = await app.models.list();
  expect(list.map(({ name, missing }) => [name, missing.map((what) => what.split(":")[0])])).toEqual([
    [
      "main",
      [
        'the secret "NONE" is not stored',
        'there is no model "nobody" to fall back to; there are main, keyless, homeless, packless, fine',
      ],
    ],
    ["keyless", ["no apiKey"]],
    ["homeless", ["no url"]],
    ["packless", ['Cannot use the provider "openrouter"']],
    ["fine", []],
  ]);
  expect(list[0]).toMatchObject({
    uses: ["agent"],
    isContextKnown: true,
    facts: { contextTokens: 200_000, images: true },
  });
  expect(list[4]).toMatchObject({ uses: ["memory"], isPriced: true, facts: { contextTokens: 8000 } });
  expect(list[2]).toMatchObject({ isContextKnown: false, facts: { contextTokens: 32_000 } });
  const { facts } = await app.models.openAlone("fine");
  expect(facts.prices).toEqual({
    input: 1_000_000,
    output: 2_000_000,
    cacheRead: 1_000_000,
    cacheWrite: 1_000_000,
  });
  await expect(app.models.open("main")).rejects.toMatchObject({
    code: "MODEL_SETUP",
    message: expect.stringContaining('"nobody" of models.main.fallback'),
  });
  await expect(app.models.open("toString")).rejects.toMatchObject({ code: "MODEL_SETUP" });
});

test("a model is priced by the configuration, else by the table that haft ships with", async () => {
  const { app } = await new Installation().open(`models:
  shipped: { provider: openai, model: gpt-5, apiKey: k-1234567890 }
  own: { provider: openai, model: gpt-5, apiKey: k-1234567890, prices: { input: 7, output: 8 } }
  elsewhere: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: gpt-5 }
`);
  const listed = await app.models.list();
  expect(listed.map(({ name, isPriced }) => [name, isPriced])).toEqual([
    ["shipped", true],
    ["own", true],
    ["elsewhere", false],
  ]);
  const facts = async (name: string) => (await app.models.openAlone(name)).facts.prices;
  expect(await facts("shipped")).toEqual(findPrices("openai/gpt-5"));
  expect(await facts("own")).toMatchObject({ input: 7_000_000 });
  expect(await facts("elsewhere")).toBeUndefined();
});

test("models of one address and key share a quota, and others don't", async () => {
  const { app } = await new Installation().open(`models:
  a: { provider: anthropic, model: one, apiKey: k-1234567890 }
  b: { provider: anthropic, model: two, apiKey: k-1234567890 }
  c: { provider: anthropic, model: two, apiKey: k-0987654321 }
  d: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: x, quota: shared }
`);
  const quotas = await Promise.all(
    app.models.names.map(async (name) => (await app.models.openAlone(name)).facts.quota),
  );
  expect(quotas[0]).toBe(quotas[1]);
  expect(new Set(quotas).size).toBe(3);
  expect(quotas[3]).toBe("shared");
  expect(quotas.join()).not.toContain("k-");
});

test("a project that is not trusted sets no model, no key and no address; a trusted one replaces a model whole", async () => {
  const installation = new Installation();
  installation.write(
    "project/haft.config.yml",
    'models: { main: { provider: openai-compatible, url: "http://evil.example/v1", model: m } }\nagent: { model: other }\n',
  );
  const own =
    "models: { main: { provider: anthropic, model: mine, apiKey: k-1234567890 } }\nagent: { model: main }";
  const { app } = await installation.open(own);
  expect(app.loaded.trusted).toBe(false);
  expect(await app.models.list()).toMatchObject([{ id: "anthropic/mine", uses: ["agent"] }]);
  const trusted = await installation.open("", { asTrusted: true });
  expect(trusted.app.loaded.config.models?.["main"]).toEqual({
    provider: "openai-compatible",
    url: "http://evil.example/v1",
    model: "m",
  });
});

test("memory is summed up by agent.memoryModel, and memory.model is above it", async () => {
  const reached = new Map<string, () => void>();
  const openServer = (name: string) =>
    serveModel((response, asked) => {
      reached.get(name)?.();
      return says(response, asked);
    });
  const [small, own] = [await openServer("small"), await openServer("own")];
  const models = `models: { small: { provider: openai-compatible, url: "${small.url}", model: m } }\nagent: { memoryModel: small }\n`;
  const withoutEmbedder = "tools: { search: { embedder: none } }\n";
  const first = await new Installation().open(models + withoutEmbedder);
  const memoryModel = `memory: { model: { provider: openai-compatible, url: "${own.url}", model: m } }\n`;
  const second = await new Installation().open(models + withoutEmbedder + memoryModel);
  for (const [installation, name, other] of [
    [first, "small", own],
    [second, "own", small],
  ] as const) {
    const before = other.asked.length;
    const isAsked = new Promise<void>((done) => reached.set(name, done));
    await installation.call("memory_store", { content: "Ada lives in Rome" });
    installation.app.background.start([installation.app.context], 0);
    await isAsked;
    expect(other.asked.length).toBe(before);
    await installation.app.close();
  }
});

test("a model that is tried says what it can; one whose API takes no tools is asked without", async () => {
  const { signal } = new AbortController();
  const prices = { input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 };
  const able = createScriptedChat(
    [
      {
        reasoning: "hm",
        text: "ok",
        calls: [{ name: "note", input: { word: "ready" } }],
        usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 50 },
      },
    ],
    { facts: { prices } },
  );
  expect(await tryModel(able, signal)).toMatchObject({
    tools: "called",
    thinks: true,
    text: "ok",
    costMicros: 315,
    usage: { inputTokens: 100 },
  });
  const server = await serveModel(async (response, asked) =>
    "tools" in asked.body
      ? refuseWith(400, { error: { message: "m does not support tools" } })(response, asked)
      : says(response, asked),
  );
  expect(await tryModel(server.open("openai-compatible"), signal)).toMatchObject({
    tools: "refused",
    text: "Hello",
  });
  expect(server.asked).toHaveLength(2);
  const silent = createScriptedChat(["I have none."]);
  expect(await tryModel(silent, signal)).toMatchObject({ tools: "not called", thinks: false });
  expect(await asModel(createScriptedChat(["x"])).complete({ messages: [], signal })).toMatchObject({
    text: "x",
  });
});

test.for([
  ["claude-sonnet-4-5-20250929", 200_000, 64_000],
  ["anthropic/claude-opus-4-1", 200_000, 32_000],
  ["claude-3-haiku-20240307", 200_000, 4096],
  ["openai/gpt-5-mini", 400_000, 128_000],
  ["gpt-4.1-nano", 1_047_576, 32_768],
  ["o3-mini", 200_000, 100_000],
  ["models/gemini-2.5-pro", 1_048_576, 65_536],
] as const)("%s is known by its name", ([model, contextTokens, maxOutputTokens]) => {
  expect(findKnownFacts(model)).toMatchObject({ contextTokens, maxOutputTokens });
  expect(findKnownFacts("qwen3:8b")).toBeUndefined();
});

test("an answer of a fallback costs what the configuration says of it", async () => {
  const { app } = await new Installation().open(`models:
  main: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: big, fallback: [backup] }
  backup: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: small, prices: { input: 1, output: 2 } }
  known: { provider: anthropic, model: claude-sonnet-5 }
`);
  expect(app.models.findPrices("openai-compatible/small")).toMatchObject({
    input: 1_000_000,
    output: 2_000_000,
  });
  expect(app.models.findPrices("anthropic/claude-sonnet-5")).toMatchObject({ input: 2_000_000 });
  expect(app.models.findPrices("openai-compatible/big")).toBeUndefined();
});
