import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openTestConnector } from "../../test/support/connect.ts";
import { listenOnLoopback } from "../../test/support/loopback.ts";
import { createFakeClock } from "../testing/index.ts";
import { type ApiEmbedderOptions, createApiEmbedder } from "./api-embedder.ts";

interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
}

/** An API on loopback whose vector of a text is its length and one; `answer` may do something else first. */
async function serveEmbeddings(
  answer: (
    asked: Asked,
    response: ServerResponse,
    request: IncomingMessage,
  ) => object | undefined = answerVectors,
) {
  const asked: (Asked & { readonly path: string | undefined; readonly key: string | undefined })[] = [];
  const { url } = await listenOnLoopback(async (request, response) => {
    const body = (await json(request)) as Asked;
    asked.push({ ...body, path: request.url, key: request.headers.authorization });
    const said = answer(body, response, request);
    if (said !== undefined) response.setHeader("content-type", "application/json").end(JSON.stringify(said));
  });
  const embedder = (options: Partial<ApiEmbedderOptions> = {}) =>
    createApiEmbedder({ connector: openTestConnector(), baseUrl: `${url}/v1`, model: "small", ...options });
  return { url, asked, embedder };
}

function answerVectors({ input }: Asked): object {
  const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
  return { object: "list", data: data.reverse(), model: "small" };
}

function failWith(status: number, said: object, headers: Readonly<Record<string, string>> = {}) {
  return (_: Asked, response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(said));
    return undefined;
  };
}

describe("createApiEmbedder().embed()", () => {
  test("gives the vectors in the order of the texts, batch by batch", async () => {
    const { asked, embedder } = await serveEmbeddings();
    const texts = Array.from({ length: 130 }, (_, index) => "x".repeat(index + 1));
    const vectors = await embedder({ apiKey: async () => "sk-1", dimensions: 2 }).embed(texts);
    expect(vectors).toEqual(texts.map(({ length }) => Float32Array.of(length, 1)));
    expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 2]);
    expect(asked[0]).toMatchObject({
      model: "small",
      dimensions: 2,
      encoding_format: "float",
      path: "/v1/embeddings",
      key: "Bearer sk-1",
    });
  });

  test("asks nothing for no texts, cuts long ones, and sends no key where there is none", async () => {
    const { asked, embedder } = await serveEmbeddings();
    expect(await embedder().embed([])).toEqual([]);
    expect(asked).toEqual([]);
    const [cut, empty] = await embedder().embed(["y".repeat(100_000), ""]);
    expect([cut?.[0], empty?.[0]]).toEqual([2_000, 1]);
    expect(asked[0]?.key).toBeUndefined();
  });

  test.for([
    ["no JSON", "<html>", "no JSON object with data"],
    ["no data", { error: null }, "no JSON object with data"],
    ["too few", { data: [{ index: 0, embedding: [1] }] }, "no vector of text 1"],
    ["a stranger", { data: [{ index: 7, embedding: [1] }] }, "a vector of no text, 7"],
    ["texts for numbers", { data: [{ index: 0, embedding: ["1"] }] }, "vector 0 is no list of numbers"],
    ["too large numbers", { data: [{ index: 0, embedding: [1e300] }] }, "vector 0 is no list of numbers"],
    ["nothing in it", { data: [{ embedding: [] }, { embedding: [] }] }, "vector 0 is no list of numbers"],
    ["two lengths", { data: [{ embedding: [1] }, { embedding: [1, 2] }] }, "differ in length"],
  ] as const)("refuses an answer with %s", async ([, said, why]) => {
    const { embedder } = await serveEmbeddings(() => said as object);
    await expect(embedder().embed(["a", "b"])).rejects.toMatchObject({
      code: "MODEL_ANSWER",
      message: expect.stringContaining(why),
    });
  });

  test.for([
    [
      401,
      { error: { message: "Incorrect key: sk-secret-1\u0007" } },
      /401.*Incorrect key: \[the key\]\\u\{7\}; give it the right/,
    ],
    [404, { message: "no such model" }, /404 Not Found: no such model; check the url/],
    [400, { error: "input too long" }, /400 Bad Request: input too long; check/],
    [200, { error: "?" }, /no JSON object with data/],
  ] as const)("says what a status of %i means, and never the key", async ([status, said, message]) => {
    const { asked, embedder } = await serveEmbeddings(failWith(status, said));
    const refusal = embedder({ apiKey: async () => "sk-secret-1" }).embed(["a"]);
    await expect(refusal).rejects.toMatchObject({ message: expect.stringMatching(message) });
    await expect(refusal).rejects.not.toMatchObject({ message: expect.stringContaining("sk-secret") });
    expect(asked).toHaveLength(1);
  });

  test("asks again when it is told to come later, and gives up at the fourth time", async () => {
    const clock = createFakeClock();
    let refusals = 2;
    const { asked, embedder } = await serveEmbeddings((said, response) => {
      if (refusals-- > 0)
        return failWith(429, { error: "slow down" }, { "retry-after": "5" })(said, response);
      return answerVectors(said);
    });
    const settled = { done: false };
    const vectors = embedder({ clock })
      .embed(["abc"])
      .finally(() => (settled.done = true));
    while (!settled.done) await clock.advance(5_000);
    expect(await vectors).toEqual([Float32Array.of(3, 1)]);
    expect(asked).toHaveLength(3);
    refusals = 100;
    settled.done = false;
    const refused = embedder({ clock })
      .embed(["abc"])
      .finally(() => (settled.done = true));
    refused.catch(() => undefined);
    while (!settled.done) await clock.advance(1_000);
    await expect(refused).rejects.toMatchObject({ code: "MODEL_STATUS", details: { status: 429 } });
    expect(asked).toHaveLength(7);
  });

  test("does not wait for longer than a minute", async () => {
    const { asked, embedder } = await serveEmbeddings(failWith(503, {}, { "retry-after": "61" }));
    await expect(embedder().embed(["a"])).rejects.toMatchObject({ code: "MODEL_STATUS" });
    expect(asked).toHaveLength(1);
  });

  test("gives up at its time, and rejects with the reason of its signal", async () => {
    const reached = Promise.withResolvers<void>();
    const { embedder } = await serveEmbeddings(() => {
      reached.resolve();
      return undefined;
    });
    await expect(embedder({ timeoutMs: 50 }).embed(["a"])).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
    const controller = new AbortController();
    const asked = embedder().embed(["a"], controller.signal);
    await reached.promise;
    controller.abort(new Error("no longer wanted"));
    await expect(asked).rejects.toThrow("no longer wanted");
    await expect(embedder().embed(["a"], controller.signal)).rejects.toThrow("no longer wanted");
  });

  test("follows no redirect to another address, and gives the key to nobody else", async () => {
    const other = await serveEmbeddings();
    const { embedder } = await serveEmbeddings((_, response) => {
      response.writeHead(307, { location: `${other.url}/v1/embeddings` }).end();
      return undefined;
    });
    await expect(embedder({ apiKey: async () => "sk-1" }).embed(["a"])).rejects.toMatchObject({
      code: "MODEL_STATUS",
      message: expect.stringContaining("it leads to"),
    });
    expect(other.asked).toEqual([]);
  });

  test("reaches a metadata service for nobody", async () => {
    const embedder = createApiEmbedder({
      connector: openTestConnector(),
      baseUrl: "http://169.254.169.254/v1",
      model: "m",
    });
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  });
});

test.for(["ftp://host/v1", "https://user:password@host/v1", "https://:p@host", "host/v1", ""])(
  "createApiEmbedder() refuses the address %j, and does not show it",
  (baseUrl) => {
    const make = () => createApiEmbedder({ connector: openTestConnector(), baseUrl, model: "m" });
    expect(make).toThrow(expect.objectContaining({ code: "MODEL_SETUP" }));
    expect(make).not.toThrow(/user:/);
  },
);

test("createApiEmbedder() tells vectors of other models, addresses and lengths apart", () => {
  const connector = openTestConnector();
  const id = (part: Partial<ApiEmbedderOptions>) =>
    createApiEmbedder({ connector, baseUrl: "https://a.example/v1", model: "m", ...part }).id;
  const ids = [{}, { model: "n" }, { dimensions: 3 }, { baseUrl: "https://b.example/v1" }].map(id);
  expect(new Set(ids).size).toBe(4);
  expect(id({ baseUrl: "https://a.example/v1/" })).toBe(id({}));
});
