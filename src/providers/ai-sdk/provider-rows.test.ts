import { describe, expect, test } from "vitest";
import { countSockets, openTestConnector } from "../../../test/support/connect.ts";
import {
  askModel,
  collectFault,
  hello,
  type ModelAnswering,
  refuseWith,
  serveModel,
  streamEvents,
} from "../../../test/support/model-server.ts";
import { both, wire } from "../../../test/support/model-wires.ts";
import { openChatModel } from "../index.ts";

describe.each(both)("a model of %s", (provider) => {
  test("streams its text, and ends once", async () => {
    const { said, fault } = await askModel(provider, streamEvents(wire(provider, "text", "end")));
    expect(fault).toBeUndefined();
    expect(said).toMatchObject([
      { type: "text", delta: "Hel" },
      { type: "text", delta: "lo" },
      {
        type: "end",
        stop: "end",
        model: `${provider}/small`,
        message: { role: "assistant", parts: [{ type: "text", text: "Hello" }] },
      },
    ]);
  });

  test("streams parallel calls, and gives their arguments as they were written", async () => {
    const { said, end } = await askModel(provider, streamEvents(wire(provider, "calls", "endCalls")));
    expect(end).toMatchObject({ stop: "calls" });
    expect(end?.message.parts).toMatchObject([
      { type: "call", id: "c1", name: "read", input: '{"path": "a"}' },
      { type: "call", id: "c2", name: "list", input: "{}" },
    ]);
    expect(said.filter(({ type }) => type === "call-start")).toEqual([
      { type: "call-start", id: "c1", name: "read" },
      { type: "call-start", id: "c2", name: "list" },
    ]);
    const pieces = said.filter((event) => event.type === "call-delta" && event.id === "c1");
    expect(pieces.map((event) => (event.type === "call-delta" ? event.delta : "")).join("")).toBe(
      '{"path": "a"}',
    );
  });

  test("is cut in the middle: what came was said, and there is no end", async () => {
    for (const after of ["cut", "end"] as const) {
      const { said, fault } = await askModel(provider, streamEvents(wire(provider, "text"), after));
      expect(said.every(({ type }) => type === "text")).toBe(true);
      expect(fault).toMatchObject({ code: "MODEL_CUT", name: "ModelError" });
    }
  });

  test("is cut inside a call: nobody gets a call of it", async () => {
    const { said, fault } = await askModel(provider, streamEvents(wire(provider, "cutCall"), "cut"));
    expect(fault).toMatchObject({ code: "MODEL_CUT" });
    expect(said.some(({ type }) => type === "end")).toBe(false);
  });

  test("stops at its most tokens inside a call: the end says length, and the arguments are as broken as they are", async () => {
    const { end } = await askModel(provider, streamEvents(wire(provider, "cutCall", "endLength")));
    expect(end).toMatchObject({ stop: "length" });
    expect(end?.message.parts).toMatchObject([{ type: "call", input: '{"path": "a' }]);
  });

  test("keeps an answer back: the end says refused", async () => {
    const { end } = await askModel(provider, streamEvents(wire(provider, "text", "endRefused")));
    expect(end).toMatchObject({ stop: "refused" });
  });

  test("sends an error as the first event, or in the middle", async () => {
    const first = await askModel(provider, streamEvents(wire(provider, "fault")));
    expect(first).toMatchObject({ said: [], fault: { code: "MODEL_OVERLOADED" } });
    const middle = await askModel(provider, streamEvents(wire(provider, "text", "fault")));
    expect(middle.fault).toMatchObject({ code: "MODEL_OVERLOADED" });
    expect(middle.said.length).toBeGreaterThan(0);
  });

  test.for([
    [429, "rate limit", { "retry-after": "7" }, "MODEL_RATE_LIMIT", { status: 429, retryAfterMs: 7000 }],
    [429, "rate limit", {}, "MODEL_RATE_LIMIT", { status: 429 }],
    [429, "rate limit", { "retry-after-ms": "250" }, "MODEL_RATE_LIMIT", { retryAfterMs: 250 }],
    [
      429,
      "rate limit",
      { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT", date: "Thu, 01 Jan 2026 00:00:30 GMT" },
      "MODEL_RATE_LIMIT",
      { retryAfterMs: 30_000 },
    ],
    [429, "You exceeded your current quota, please check your plan", {}, "MODEL_QUOTA", { status: 429 }],
    [402, "Insufficient credits", {}, "MODEL_QUOTA", { status: 402 }],
    [400, "Your credit balance is too low to access the API", {}, "MODEL_QUOTA", { status: 400 }],
    [529, "Overloaded", {}, "MODEL_OVERLOADED", { status: 529 }],
    [503, "Service unavailable", { "retry-after": "2" }, "MODEL_OVERLOADED", { retryAfterMs: 2000 }],
    [500, "Internal server error", {}, "MODEL_STATUS", { status: 500 }],
    [502, "<html>Bad gateway</html>", {}, "MODEL_STATUS", { status: 502 }],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", {}, "MODEL_CONTEXT", { retry: false }],
    [400, "This model's maximum context length is 8192 tokens", {}, "MODEL_CONTEXT", { retry: false }],
    [400, "the request exceeds the available context size", {}, "MODEL_CONTEXT", { retry: false }],
    [413, "Request exceeds the maximum size", {}, "MODEL_CONTEXT", { retry: false }],
    [400, "blocked by the content management policy", {}, "MODEL_REFUSED", { retry: false }],
    [404, "model: small", {}, "MODEL_UNKNOWN", { status: 404, retry: false }],
    [400, "small is not a valid model ID", {}, "MODEL_UNKNOWN", { retry: false }],
    [401, "invalid x-api-key", { "retry-after": "7" }, "MODEL_AUTH", { status: 401, retry: false }],
    [403, "not allowed", {}, "MODEL_AUTH", { status: 403, retry: false }],
    [400, "messages: at least one message is required", {}, "MODEL_BAD_REQUEST", { retry: false }],
    [422, "field required", {}, "MODEL_BAD_REQUEST", { retry: false }],
  ] as const)("answers %i %j with %j: %s", async ([status, message, headers, code, details]) => {
    const body =
      provider === "anthropic" ? { type: "error", error: { type: "x", message } } : { error: { message } };
    const { said, fault, asked } = await askModel(provider, refuseWith(status, body, headers));
    expect(fault).toMatchObject({ code, details });
    expect(said).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test("says no key in any error, and gives it to nobody else", async () => {
    const other = await serveModel(() => undefined);
    const answers: ModelAnswering[] = [
      refuseWith(401, { error: { message: "Incorrect key: sk-secret-1" } }),
      refuseWith(500, "sk-secret-1"),
      streamEvents([{ type: "error", error: { type: "api_error", message: "not for sk-secret-1" } }]),
      refuseWith(307, "", { location: `${other.url}/elsewhere` }),
    ];
    for (const answer of answers) {
      const { open, asked } = await serveModel(answer);
      const { fault } = await collectFault(
        open(provider, { apiKey: async () => "sk-secret-1" }).stream(hello()),
      );
      expect(fault).toBeInstanceOf(Error);
      expect(String(fault)).not.toContain("sk-secret");
      const { headers } = asked[0] ?? {};
      expect(headers?.[provider === "anthropic" ? "x-api-key" : "authorization"]).toMatch(/sk-secret-1$/);
    }
    expect(other.asked).toEqual([]);
  });

  test("is aborted before it answers, and in the middle: with the reason of the signal, and the connection ends", async () => {
    for (const events of [[], wire(provider, "text")]) {
      const closed = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const { open } = await serveModel(async (response, asked) => {
        response.on("close", () => closed.resolve());
        if (events.length > 0) await streamEvents(events, "open")(response, asked);
        reached.resolve();
      });
      const controller = new AbortController();
      const asking = collectFault(open(provider).stream(hello({ signal: controller.signal })));
      await reached.promise;
      controller.abort(new Error("no longer wanted"));
      const { fault } = await asking;
      expect(fault).toMatchObject({ message: "no longer wanted" });
      await closed.promise;
    }
  });

  test("ends the request as soon as nobody reads on", async () => {
    const closed = Promise.withResolvers<void>();
    const { open } = await serveModel(async (response, asked) => {
      response.on("close", () => closed.resolve());
      await streamEvents(wire(provider, "text"), "open")(response, asked);
    });
    for await (const event of open(provider).stream(hello())) {
      expect(event.type).toBe("text");
      break;
    }
    await closed.promise;
  });

  test("reaches nobody before it is asked, and a metadata service never", async () => {
    const opened = await countSockets(async () => {
      const model = openChatModel(provider, {
        connector: openTestConnector(),
        baseUrl: "http://169.254.169.254/v1",
        model: "m",
        setting: "models.main",
      });
      const { fault } = await collectFault(model.stream(hello()));
      expect(fault).toMatchObject({ code: "CONNECT_BLOCKED" });
    });
    expect(opened).toBe(0);
  });

  test("is not there: the host says so", async () => {
    const { fault } = await collectFault(
      openChatModel(provider, {
        connector: openTestConnector(),
        baseUrl: "http://127.0.0.1:9/v1",
        model: "m",
        setting: "models.main",
      }).stream(hello()),
    );
    expect(fault).toMatchObject({ code: "CONNECT_FAILED" });
  });

  test("answers without end: it is not read on", async () => {
    const { fault } = await askModel(provider, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-length": "9000000" });
      response.write(": ");
    });
    expect(fault).toMatchObject({ code: "MODEL_ANSWER", message: expect.stringContaining("larger") });
  });

  test.for([
    ["no JSON", "<html>"],
    ["another object", { object: "list", data: [] }],
    ["an event that is none", undefined],
  ] as const)("answers 200 with %s: MODEL_ANSWER, or what its error says", async ([, body]) => {
    const answer = body === undefined ? streamEvents(["{"]) : refuseWith(200, body as unknown);
    expect((await askModel(provider, answer)).fault).toMatchObject({ code: "MODEL_ANSWER" });
    const error = refuseWith(200, { error: { message: "rate limited", type: "rate_limit_error" } });
    expect((await askModel(provider, error)).fault).toMatchObject({ code: "MODEL_RATE_LIMIT" });
  });
});

test.for([
  "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
  "Tool call IDs should be alphanumeric strings with length 9!",
  "Unexpected role 'user' after role 'tool'",
  '[{"type":"extra_forbidden","loc":["body","messages",3,"assistant","reasoning_content"]}]',
])("the error says which template a model takes that refuses messages with: %s", async (message) => {
  const { fault } = await askModel("openai-compatible", refuseWith(400, { object: "error", message }));
  expect(fault).toMatchObject({
    code: "MODEL_BAD_REQUEST",
    message: expect.stringContaining("; set `template: mistral` in models.main"),
  });
});
