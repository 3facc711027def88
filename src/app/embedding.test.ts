import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTestConnector } from "../../test/support/connect.ts";
import { listenOnLoopback } from "../../test/support/loopback.ts";
import { writeTinyModel } from "../../test/support/tiny-model.ts";
import { parseConfig } from "./config/config.ts";
import type { HaftConfig } from "./config/config-types.ts";
import { mergeConfigs, onlyStricter } from "./config/merge-configs.ts";
import { openEmbedder, readEmbedderKey } from "./embedding.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-embedding-"));
afterAll(() => rmSync(folder, { recursive: true }));

function read(search: string): Promise<HaftConfig> {
  return parseConfig(`tools: { search: ${search} }`, "haft.config.yml", () => undefined);
}

async function open(
  config: HaftConfig,
  secrets: Readonly<Record<string, string>> = {},
  packagesFrom?: string,
) {
  return openEmbedder(config, {
    ...(packagesFrom !== undefined && { packagesFrom }),
    connector: openTestConnector(),
    secrets: { get: async (_scope, name) => secrets[name] },
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted:KEY]"),
    folder,
    home: { folder: "/home/ada/.haft" },
  });
}

async function serveKeys() {
  const keys: (string | undefined)[] = [];
  const bodies: string[] = [];
  const { url } = await listenOnLoopback(async (request, response) => {
    keys.push(request.headers.authorization);
    for await (const chunk of request) bodies.push(String(chunk));
    response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] }));
  });
  return { url, keys, bodies };
}

test("openEmbedder() opens the offline model unless another is configured, and none if that is", async () => {
  const offline = await open({});
  expect(offline?.id).toMatch(/^haft-words\/[0-9a-f]{16}$/);
  expect((await open(await read("{ embedder: offline }")))?.id).toBe(offline?.id);
  expect(await open(await read("{ embedder: none }"))).toBeUndefined();
});

test("openEmbedder() takes the model of haft-encoder where that is installed, unless another is configured", async () => {
  const encoder = join(process.cwd(), "packages/haft-encoder/index.js");
  const taken = await Promise.all(
    ["{ usage: true }", "{ embedder: encoder }", "{ embedder: offline }", "{ embedder: none }"].map(
      async (search) => (await open(await read(search), {}, encoder))?.about,
    ),
  );
  const about = "all-MiniLM-L6-v2 of haft-encoder (English, 24 MB, Apache-2.0)";
  expect(taken).toEqual([about, about, expect.stringContaining("word vectors"), undefined]);
  await expect(open(await read("{ embedder: encoder }"))).rejects.toMatchObject({
    code: "EMBED_PACKAGE",
    message: expect.stringContaining("npm i haft-encoder"),
  });
});

test("openEmbedder() asks an API with the key of the configuration, or a stored one as it is then", async () => {
  const { url, keys } = await serveKeys();
  const config = (key: string) =>
    read(`{ embedder: { provider: openai-compatible, url: "${url}/v1", model: m, apiKey: "${key}" } }`);
  const secrets: Record<string, string> = {};
  const plain = await open(await config("sk-1"));
  const stored = await open(await config("${secret:EMBED_KEY}"), secrets);
  expect(await plain?.embed(["a"])).toEqual([Float32Array.of(1, 2)]);
  await expect(stored?.embed(["a"])).rejects.toMatchObject({
    code: "MODEL_SETUP",
    message: expect.stringContaining("haft secret set EMBED_KEY"),
  });
  secrets["EMBED_KEY"] = "sk-2";
  await stored?.embed(["a"]);
  secrets["EMBED_KEY"] = "sk-3";
  await stored?.embed(["a"]);
  expect(keys).toEqual(["Bearer sk-1", "Bearer sk-2", "Bearer sk-3"]);
});

test("openEmbedder() tells an API no secret that somebody searched with", async () => {
  const { url, bodies } = await serveKeys();
  const config = await read(`{ embedder: { provider: openai-compatible, url: "${url}/v1", model: m } }`);
  await (await open(config))?.embed(["log in with hunter2hunter2"]);
  expect(bodies.join("")).toContain("log in with [redacted:KEY]");
});

test("openEmbedder() takes a model's folder from where the project is", async () => {
  writeTinyModel(join(folder, "tiny"));
  const embedder = await open(await read("{ embedder: { provider: transformers, folder: ./tiny } }"));
  expect(embedder?.id).toMatch(/^transformers\/[0-9a-f]{32}$/);
  const named = await open(await read("{ embedder: { provider: transformers, model: some/model } }"));
  expect(named?.id).toBe("transformers/some/model");
  const missing = read("{ embedder: { provider: transformers, folder: none } }").then((config) =>
    open(config),
  );
  await expect(missing).rejects.toMatchObject({ code: "EMBED_MODEL" });
  await embedder?.close();
  await named?.close();
});

test.for([
  "{ embedder: online }",
  "{ embedder: { provider: openai-compatible, model: m } }",
  "{ embedder: { provider: openai-compatible, url: 'file:///etc', model: m } }",
  "{ embedder: { provider: transformers } }",
  "{ embedder: { provider: transformers, model: m, folder: f } }",
  "{ embedder: { provider: transformers, model: m, apiKey: k } }",
  "{ usage: sometimes }",
  "{ embeder: none }",
])("parseConfig() refuses tools.search as %s", async (search) => {
  await expect(read(search)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("search"),
  });
});

const api = {
  provider: "openai-compatible",
  url: "https://a.example/v1",
  model: "m",
  apiKey: "sk-1",
} as const;

test("a project that is not trusted chooses no embedder, and switches nothing on", () => {
  expect(onlyStricter({ tools: { search: { embedder: api, usage: true } } })).toEqual({});
});

test("mergeConfigs() takes each setting of the search by itself, and gives the user's key to no url of a project", () => {
  const own = { tools: { search: { embedder: api, usage: false } } };
  const { apiKey: _, ...other } = { ...api, url: "https://b.example/v1" };
  expect(mergeConfigs(own, { tools: { search: { usage: true } } }).tools?.search).toEqual({
    embedder: api,
    usage: true,
  });
  expect(mergeConfigs(own, { tools: { search: { embedder: other } } }).tools?.search).toEqual({
    embedder: other,
    usage: false,
  });
});

test("readEmbedderKey() finds the key that is to be kept out of every output", () => {
  expect(readEmbedderKey({ search: { embedder: api } })).toBe("sk-1");
  expect(readEmbedderKey({ search: { embedder: "offline" } })).toBeUndefined();
  expect(readEmbedderKey(undefined)).toBeUndefined();
});
