import { describe, expect, onTestFinished, test } from "vitest";
import { type FakeProcesses, fakeProcesses, type Receive } from "../../../test/support/fake-mcp-process.ts";
import { type OpenedMcp, openMcp } from "../../../test/support/mcp-servers.ts";
import { createFakeClock, type FakeClock } from "../../testing/index.ts";
import type { AnsweringPeer, Asker, ServerQuestion } from "./ports.ts";

type Message = Record<string, unknown>;

const form = {
  message: "Your name\u202e?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", description: "a\u200bb" }, age: { type: "integer", default: 7 } },
    required: ["name"],
  },
};
const tool = { name: "ask", inputSchema: { type: "object" } };

/** A server of 2025-11-25, whose tool asks what `question` says before it answers. */
function legacy(question: unknown = form, method = "elicitation/create"): () => Receive {
  return () => {
    const calls = new Map<string, unknown>();
    return (message, client) => {
      const say = (answer: Message) => client.write(`${JSON.stringify({ jsonrpc: "2.0", ...answer })}\n`);
      const { id } = message;
      if (message["method"] === "initialize") {
        const { protocolVersion } = message["params"] as Message;
        const serverInfo = { name: "asking", version: "1" };
        say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
      } else if (message["method"] === "tools/list") say({ id, result: { tools: [tool] } });
      else if (message["method"] === "tools/call") {
        const asked = `q${String(id)}`;
        calls.set(asked, id);
        say({ id: asked, method, params: question });
      } else if (message["method"] === undefined && typeof id === "string") {
        const text = JSON.stringify(message["result"] ?? message["error"]);
        say({ id: calls.get(id), result: { content: [{ type: "text", text }] } });
      }
    };
  };
}

/** A server that knows 2026-07-28 alone: it asks by its answer. */
function modern(question: unknown = form, method = "elicitation/create"): () => Receive {
  return () => (message, client) => {
    const { id, method: asked, params = {} } = message;
    if (id === undefined) return;
    const say = (result: Message) =>
      client.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } })}\n`,
      );
    if (asked === "server/discover") {
      const kept = { ttlMs: 0, cacheScope: "private" };
      say({
        ...kept,
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "m", version: "1" },
      });
    } else if (asked === "tools/list") say({ ttlMs: 0, cacheScope: "private", tools: [tool] });
    else if (asked === "tools/call") {
      const { inputResponses, requestState } = params as Message;
      if (inputResponses === undefined) {
        say({
          resultType: "input_required",
          inputRequests: { q: { method, params: question } },
          requestState: "s1",
        });
      } else {
        const text = JSON.stringify({ ...(inputResponses as { q: Message }).q, requestState });
        say({ content: [{ type: "text", text }] });
      }
    } else {
      const error = {
        code: -32_022,
        message: "Unsupported",
        data: { supported: ["2026-07-28"], requested: "2025-11-25" },
      };
      client.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    }
  };
}

async function start(
  serve: () => Receive,
  asker?: Asker,
): Promise<OpenedMcp & { clock: FakeClock; fake: FakeProcesses }> {
  const clock = createFakeClock();
  const fake = fakeProcesses(serve);
  const opened = openMcp(
    { clock, processes: fake.processes, ...(asker !== undefined && { asker }) },
    { clock, maxConcurrent: 1 },
  );
  onTestFinished(() => opened[Symbol.asyncDispose]());
  void opened.connections.connectAll([{ name: "asking", command: "asking", timeout: 5000 }]);
  for (let turns = 0; turns < 50; turns++) await clock.advance(0);
  return { ...opened, clock, fake };
}

describe.each([
  { era: "2025-11-25", serve: legacy },
  { era: "2026-07-28", serve: modern },
])("a server of $era that asks in the middle of a call", ({ serve }) => {
  test("is answered by whoever made the call where the call has a way back, and by nobody else", async () => {
    const { executor } = await start(serve(), { ask: () => Promise.reject(new Error("asked elsewhere")) });
    const asked: string[] = [];
    const peer: AnsweringPeer = {
      answerServer: async ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { name: "Ada" } };
      },
    };
    const result = await executor.execute("asking__ask", {}, { origin: { channel: "chat", peer } });
    expect(JSON.parse(result.text)).toMatchObject({ action: "accept", content: { name: "Ada" } });
    expect(asked).toEqual(["Your name\\u{202e}?"]);
  });

  test("is answered by a person, whose time is not the call's, with what was asked for alone", async () => {
    const questions: ServerQuestion[] = [];
    const answer = Promise.withResolvers<void>();
    const { clock, executor } = await start(serve(), {
      ask: async (question) => {
        questions.push(question);
        await answer.promise;
        return { action: "accept", content: { name: "Ada", more: "no" } };
      },
    });
    const running = executor.execute("asking__ask", {});
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1000);
    answer.resolve();
    const result = await running;
    expect(result).toMatchObject({ success: true });
    expect(JSON.parse(result.text)).toMatchObject({ action: "accept", content: { name: "Ada", age: 7 } });
    expect(result.text).not.toContain("more");
    expect(questions).toMatchObject([
      {
        mode: "form",
        server: "asking",
        message: "Your name\\u{202e}?",
        schema: { properties: { name: { description: "a\\u{200b}b" } } },
      },
    ]);
  });

  test.each([
    { what: "a form, and nobody can be asked", question: form, asker: undefined, action: "decline" },
    {
      what: "what does not fit the form",
      question: form,
      asker: { action: "accept", content: { name: 5 } },
      action: "cancel",
    },
    {
      what: "for a page of another kind",
      question: { mode: "url", message: "Go", url: "javascript:alert(1)", elicitationId: "1" },
      asker: { action: "accept" },
      action: "decline",
    },
    {
      what: "for a page with somebody's password",
      question: { mode: "url", message: "Go", url: "https://a:b@example.com", elicitationId: "1" },
      asker: { action: "accept" },
      action: "decline",
    },
    {
      what: "for a page",
      question: { mode: "url", message: "Go", url: "https://example.com/x", elicitationId: "1" },
      asker: { action: "accept" },
      action: "accept",
    },
    {
      what: "for a form without end",
      question: {
        message: "x",
        requestedSchema: {
          type: "object",
          properties: { a: { type: "string", description: "x".repeat(40_000) } },
        },
      },
      asker: { action: "accept" },
      action: "decline",
    },
  ] as const)("hears $action when it asks $what", async ({ question, asker, action }) => {
    const { executor } = await start(
      serve(question),
      asker && { ask: async () => asker as Awaited<ReturnType<Asker["ask"]>> },
    );
    const result = await executor.execute("asking__ask", {});
    expect(JSON.parse(result.text)).toMatchObject({ action });
  });

  test("gets nothing of a model", async () => {
    const question = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 };
    const { executor } = await start(serve(question, "sampling/createMessage"), {
      ask: async () => ({ action: "accept" }),
    });
    const result = await executor.execute("asking__ask", {});
    expect(result.text).toMatch(/Method not found|does not offer/);
  });
});

test("a server that asks while it works for two people is answered by neither", async () => {
  let asked = 0;
  const { executor } = await start(legacy(), {
    ask: async () => {
      asked++;
      return { action: "accept", content: { name: "Ada" } };
    },
  });
  const results = await Promise.all(
    ["ada", "bob"].map((userId) => executor.execute("asking__ask", {}, { userId })),
  );
  for (const result of results) expect(JSON.parse(result.text)).toMatchObject({ action: "decline" });
  expect(asked).toBe(0);
});

test("a server that never stops asking is left after ten answers", async () => {
  const serve: () => Receive = () => {
    const receive = modern()();
    return (message, client) => {
      const params = { ...(message["params"] as Message), inputResponses: undefined };
      receive(message["method"] === "tools/call" ? { ...message, params } : message, client);
    };
  };
  const { executor } = await start(serve, {
    ask: async () => ({ action: "accept", content: { name: "Ada" } }),
  });
  const result = await executor.execute("asking__ask", {});
  expect(result).toMatchObject({ success: false, code: "MCP_BAD_ANSWER" });
});

test("the era of a server is found without a second start, and remembered for the next", async () => {
  const { connections, fake, clock } = await start(modern());
  expect(connections.health()[0]).toMatchObject({ status: "ready", protocolVersion: "2026-07-28", tools: 1 });
  expect(fake.starts()).toBe(1);
  const initializes = () => fake.received.filter(({ method }) => method === "initialize").length;
  expect(initializes()).toBe(1);
  const again = connections.reconnect("asking");
  for (let turns = 0; turns < 50; turns++) await clock.advance(0);
  await again;
  expect(connections.health()[0]).toMatchObject({ status: "ready", protocolVersion: "2026-07-28" });
  expect(fake.starts()).toBe(2);
  expect(initializes()).toBe(1);
});
