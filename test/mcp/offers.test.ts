import { expect, test } from "vitest";
import type { McpPrompts, McpResources } from "../../src/server/mcp/index.ts";
import { serveHttp } from "./support/http.ts";
import { connectLines, initialize, modernMeta, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";

const notes = Array.from({ length: 5 }, (_, count) => ({ uri: `note://${count}`, name: `note ${count}` }));

/** Five notes, and a way to say that one has changed. */
function createNotes() {
  const listeners = new Set<(uri: string) => void>();
  const resources: McpResources = {
    list: () => notes,
    templates: () => [{ uriTemplate: "note://{number}", name: "a note" }],
    read: (uri) => (notes.some((note) => note.uri === uri) ? [{ uri, text: `text of ${uri}` }] : undefined),
    complete: ({ argument, value }) =>
      argument === "number" ? Array.from({ length: 150 }, (_, count) => `${value}${count}`) : [],
    onUpdate(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
  return { resources, change: (uri: string) => listeners.forEach((tell) => tell(uri)), listeners };
}

const prompts: McpPrompts = {
  list: () => [{ name: "greet", arguments: [{ name: "who", required: true }] }],
  get: (name, { who }) =>
    name === "greet"
      ? { messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }] }
      : undefined,
};

function serve() {
  const { resources, change, listeners } = createNotes();
  return { ...startServer([], { server: { resources, prompts, pageSize: 2 } }), change, listeners };
}

test("a server lists its resources page by page", async () => {
  const http = await serveHttp(serve().server);
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const { result } =
      (await http.modern(1, "resources/list", cursor === undefined ? {} : { cursor })).messages[0] ?? {};
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    seen.push(...(result?.["resources"] as unknown[]));
    cursor = result?.["nextCursor"];
  } while (cursor !== undefined);
  expect(seen).toEqual(notes);
  expect((await http.modern(2, "resources/list", { cursor: "abc" })).messages[0]?.error?.code).toBe(-32602);
});

test("a server reads a resource, and says in the words of each era that there is none", async () => {
  const http = await serveHttp(serve().server);
  const found = await http.modern(1, "resources/read", { uri: "note://1" });
  expect(found.messages[0]?.result?.["contents"]).toEqual([{ uri: "note://1", text: "text of note://1" }]);
  const missing = await http.modern(2, "resources/read", { uri: "note://9" });
  expect(missing.messages[0]?.error).toMatchObject({ code: -32602, data: { uri: "note://9" } });
  const session = await http.begin();
  const older = await http.send("POST", request(3, "resources/read", { uri: "note://9" }), session);
  expect(older.messages[0]?.error).toMatchObject({ code: -32002, data: { uri: "note://9" } });
});

test("a server tells a session of the resources it has subscribed to, until it unsubscribes", async () => {
  const { server, change, listeners } = serve();
  const client = connectLines(server);
  client.send(initialize(), { jsonrpc: "2.0", method: "notifications/initialized" });
  await client.next();
  client.send(request(1, "resources/subscribe", { uri: "note://1" }));
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  change("note://2");
  change("note://1");
  expect(await client.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: "note://1" },
  });
  client.send(request(2, "resources/unsubscribe", { uri: "note://1" }));
  await client.next();
  change("note://1");
  client.send(request(3, "ping"));
  expect(await client.next()).toMatchObject({ id: 3 });
  server.close();
  expect(listeners.size).toBe(0);
});

test("a server tells a subscription of the resources it names", async () => {
  const { server, change } = serve();
  const client = connectLines(server);
  const filter = { resourceSubscriptions: ["note://1"], resourcesListChanged: true };
  client.send(request("s", "subscriptions/listen", { notifications: filter, _meta: modernMeta() }));
  const _meta = { "io.modelcontextprotocol/subscriptionId": "s" };
  expect((await client.next()).params).toEqual({
    _meta,
    notifications: { resourceSubscriptions: ["note://1"] },
  });
  change("note://2");
  change("note://1");
  expect(await client.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { _meta, uri: "note://1" },
  });
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } });
  change("note://1");
  client.send(request(1, "tools/list", { _meta: modernMeta() }));
  expect(await client.next()).toMatchObject({ id: 1 });
});

test("a server makes a prompt of its arguments, and refuses one without a required argument", async () => {
  const http = await serveHttp(serve().server);
  const made = await http.modern(1, "prompts/get", { name: "greet", arguments: { who: "Ada" } });
  expect(made.messages[0]?.result?.["messages"]).toEqual([
    { role: "user", content: { type: "text", text: "Greet Ada" } },
  ]);
  for (const params of [{ name: "greet" }, { name: "greet", arguments: { who: 7 } }, { name: "nothing" }]) {
    expect((await http.modern(2, "prompts/get", params)).messages[0]?.error?.code).toBe(-32602);
  }
});

test("a server completes an argument with at most 100 values, and says how many there are", async () => {
  const http = await serveHttp(serve().server);
  const complete = (ref: object, argument: object) =>
    http.modern(1, "completion/complete", { ref, argument }).then(({ messages }) => messages[0]);
  const found = await complete(
    { type: "ref/resource", uri: "note://{number}" },
    { name: "number", value: "1" },
  );
  expect(found?.result?.["completion"]).toMatchObject({
    total: 150,
    hasMore: true,
    values: expect.objectContaining({ length: 100 }),
  });
  const none = await complete({ type: "ref/prompt", name: "greet" }, { name: "who", value: "" });
  expect(none?.result?.["completion"]).toEqual({ values: [], total: 0, hasMore: false });
  expect((await complete({ type: "ref/other" }, { name: "a", value: "" }))?.error?.code).toBe(-32602);
});

test("a prompt may ask the client, and is refused where the client can't answer", async () => {
  const asking: McpPrompts = {
    list: () => [{ name: "ask" }],
    async get(_name, _args, { peer }) {
      const answer = await peer.elicit({
        message: "Who?",
        schema: { type: "object", properties: { who: { type: "string" } } },
      });
      const text = answer.action === "accept" ? `Greet ${String(answer.content["who"])}` : answer.action;
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };
  const http = await serveHttp(startServer([], { server: { prompts: asking } }).server);
  const forms = { elicitation: {} };
  const asked = (await http.modern(1, "prompts/get", { name: "ask" }, forms)).messages[0]?.result;
  const [key = ""] = Object.keys(asked?.["inputRequests"] as object);
  const retry = {
    name: "ask",
    requestState: asked?.["requestState"],
    inputResponses: { [key]: { action: "accept", content: { who: "Ada" } } },
  };
  const made = await http.modern(2, "prompts/get", retry, forms);
  expect(made.messages[0]?.result?.["messages"]).toMatchObject([{ content: { text: "Greet Ada" } }]);
  const refused = await http.modern(3, "prompts/get", { name: "ask" });
  expect([refused.status, refused.messages[0]?.error]).toMatchObject([
    400,
    { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
  ]);
});

test("a server names its faults, and keeps what they say to itself", async () => {
  const { server, errors } = startServer([], {
    server: {
      resources: {
        list: () => {
          throw new Error("the password is hunter2");
        },
        read: () => undefined,
      },
    },
  });
  const http = await serveHttp(server);
  const answer = await http.modern(1, "resources/list");
  expect(answer.messages[0]?.error).toEqual({
    code: -32603,
    message: "Cannot answer the request: the server failed; its log says how",
  });
  expect(errors).toEqual([new Error("the password is hunter2")]);
});
