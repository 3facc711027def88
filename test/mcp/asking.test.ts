import { expect, test } from "vitest";
import type { Grants } from "../../src/kernel/index.ts";
import { McpError } from "../../src/mcp/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { serveHttp } from "./support/http.ts";
import { connectLines, initialize, modernMeta, type RpcAnswer, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { echoTool, removeTool, talkingTool } from "./support/tools.ts";

const forms = { elicitation: {} };
const nameForm = {
  message: "Who are you?",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;
const askName = talkingTool(async (peer) => {
  const answer = await peer.elicit(nameForm, { key: "name" });
  return answer.action === "accept" ? `Hello, ${String(answer.content["name"])}` : answer.action;
});
const accept = (content: object) => ({ action: "accept", content });
const talk = (more: object = {}) => ({ name: "talk", arguments: {}, ...more });

interface Asked {
  readonly state: string;
  readonly requests: Readonly<
    Record<string, { readonly method: string; readonly params: Record<string, unknown> }>
  >;
}

/** The questions in an answer, and the state to come back with. */
function askedIn(message: RpcAnswer | undefined): Asked {
  expect(message?.result?.["resultType"]).toBe("input_required");
  return {
    state: message?.result?.["requestState"] as string,
    requests: message?.result?.["inputRequests"] as Asked["requests"],
  };
}

function readText(message: RpcAnswer | undefined): unknown {
  return (message?.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
}

test("McpPeer.elicit() in 2026-07-28 sets the call aside and goes on with the answer of the retry", async () => {
  const http = await serveHttp(startServer([askName]).server);
  const first = await http.modern(1, "tools/call", talk(), forms);
  const { state, requests } = askedIn(first.messages[0]);
  expect(requests).toEqual({
    name: {
      method: "elicitation/create",
      params: { mode: "form", message: "Who are you?", requestedSchema: nameForm.schema },
    },
  });
  const retry = talk({ requestState: state, inputResponses: { name: accept({ name: "Ada" }) } });
  const second = await http.modern(2, "tools/call", retry, forms);
  expect(readText(second.messages[0])).toBe("Hello, Ada");
});

test("McpPeer.elicit() in 2025-06-18 asks the client while it waits", async () => {
  const client = connectLines(startServer([askName]).server);
  client.send(initialize("2025-06-18", forms));
  await client.next();
  client.send(request(1, "tools/call", talk()));
  const asked = await client.next();
  expect(asked).toMatchObject({
    method: "elicitation/create",
    params: { message: "Who are you?", requestedSchema: nameForm.schema },
  });
  expect(asked.params).not.toHaveProperty("mode");
  client.send({ jsonrpc: "2.0", id: asked.id, result: accept({ name: "Ada" }) });
  expect(readText(await client.next())).toBe("Hello, Ada");
});

test.for(["2025-06-18", "2026-07-28"] as const)(
  "McpPeer.elicit() in %s takes no place among the calls that run while a person is asked",
  async (version) => {
    const { server } = startServer([askName, echoTool], { executor: { maxConcurrent: 1 } });
    const client = connectLines(server);
    const echo = { name: "echo", arguments: { text: "still here" } };
    if (version === "2025-06-18") {
      client.send(initialize(version, forms));
      await client.next();
      client.send(request(1, "tools/call", talk()));
      const asked = await client.next();
      client.send(request(2, "tools/call", echo));
      expect(readText(await client.next())).toBe("still here");
      client.send({ jsonrpc: "2.0", id: asked.id, result: accept({ name: "Ada" }) });
    } else {
      client.send(request(1, "tools/call", { ...talk(), _meta: modernMeta(forms) }));
      const { state } = askedIn(await client.next());
      client.send(request(2, "tools/call", { ...echo, _meta: modernMeta() }));
      expect(readText(await client.next())).toBe("still here");
      const answers = { requestState: state, inputResponses: { name: accept({ name: "Ada" }) } };
      client.send(request(3, "tools/call", { ...talk(answers), _meta: modernMeta(forms) }));
    }
    expect(readText(await client.next())).toBe("Hello, Ada");
  },
);

test("McpPeer asks in one answer everything that was asked in one turn, and again for what was not answered", async () => {
  const { server } = startServer([
    talkingTool(async (peer) => {
      const [form, roots] = await Promise.all([
        peer.elicit(nameForm, { key: "name" }),
        peer.roots({ key: "roots" }),
      ]);
      return JSON.stringify([form, roots]);
    }),
  ]);
  const http = await serveHttp(server);
  const capabilities = { ...forms, roots: {} };
  const first = askedIn((await http.modern(1, "tools/call", talk(), capabilities)).messages[0]);
  expect(Object.keys(first.requests)).toEqual(["name", "roots"]);
  const half = talk({
    requestState: first.state,
    inputResponses: { name: accept({ name: "Ada" }), other: {} },
  });
  const second = askedIn((await http.modern(2, "tools/call", half, capabilities)).messages[0]);
  expect(Object.keys(second.requests)).toEqual(["roots"]);
  expect(second.state).not.toBe(first.state);
  const roots = [{ uri: "file:///home/ada" }];
  const rest = talk({ requestState: second.state, inputResponses: { roots: { roots } } });
  const third = await http.modern(3, "tools/call", rest, capabilities);
  expect(readText(third.messages[0])).toBe(
    JSON.stringify([{ action: "accept", content: { name: "Ada" } }, roots]),
  );
});

test("McpPeer takes an answer that came with the call, if the question has the name the client gave it", async () => {
  const http = await serveHttp(startServer([askName]).server);
  const early = talk({ inputResponses: { name: accept({ name: "Ada" }), more: {} } });
  expect(readText((await http.modern(1, "tools/call", early, forms)).messages[0])).toBe("Hello, Ada");
});

test("an approval can't be answered before it is asked", async () => {
  const http = await serveHttp(startServer([removeTool]).server);
  const call = { name: "remove", arguments: { path: "/a" } };
  const first = askedIn((await http.modern(1, "tools/call", call, forms)).messages[0]);
  const [key = ""] = Object.keys(first.requests);
  const yes = accept({ decision: "allow once" });
  const inputResponses = { [key]: yes, approval: yes, decision: yes };
  const again = await http.modern(2, "tools/call", { ...call, inputResponses }, forms);
  const second = askedIn(again.messages[0]);
  expect(Object.keys(second.requests)).not.toEqual([key]);
});

test.for([
  {
    what: "altered",
    state: (state: string) => `${state.slice(0, -1)}${state.endsWith("A") ? "B" : "A"}`,
    says: /not one that this server gave out/,
  },
  {
    what: "longer",
    state: (state: string) => `${state}-TAMPERED`,
    says: /not one that this server gave out/,
  },
  { what: "made up", state: () => "abc.def", says: /not one that this server gave out/ },
  { what: "a number", state: () => 7, says: /must be a string/ },
])("a requestState that is $what is refused, and the true one still works", async ({ state, says }) => {
  const http = await serveHttp(startServer([askName]).server);
  const asked = askedIn((await http.modern(1, "tools/call", talk(), forms)).messages[0]);
  const inputResponses = { name: accept({ name: "Ada" }) };
  const bad = await http.modern(
    2,
    "tools/call",
    talk({ requestState: state(asked.state), inputResponses }),
    forms,
  );
  expect(bad.messages[0]?.error).toMatchObject({ code: -32602, message: expect.stringMatching(says) });
  const good = await http.modern(3, "tools/call", talk({ requestState: asked.state, inputResponses }), forms);
  expect(readText(good.messages[0])).toBe("Hello, Ada");
});

test("a requestState is good for one retry", async () => {
  const http = await serveHttp(startServer([askName]).server);
  const { state } = askedIn((await http.modern(1, "tools/call", talk(), forms)).messages[0]);
  const retry = talk({ requestState: state, inputResponses: { name: accept({ name: "Ada" }) } });
  await http.modern(2, "tools/call", retry, forms);
  const replay = await http.modern(3, "tools/call", retry, forms);
  expect(replay.messages[0]?.error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/has expired or was used/),
  });
});

test("a requestState is refused for other arguments: what a person allowed is what runs", async () => {
  const { server, events } = startServer([removeTool]);
  const http = await serveHttp(server);
  const call = (path: string) => ({ name: "remove", arguments: { path } });
  const asked = askedIn((await http.modern(1, "tools/call", call("/tmp/a"), forms)).messages[0]);
  const answers = { [Object.keys(asked.requests)[0] as string]: accept({ decision: "allow once" }) };
  const retry = { requestState: asked.state, inputResponses: answers };
  const changed = await http.modern(2, "tools/call", { ...call("/etc/passwd"), ...retry }, forms);
  expect(changed.messages[0]?.error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/arguments are not those/),
  });
  expect(events.map(({ type }) => type)).toEqual(["tool.requested"]);
  const same = await http.modern(3, "tools/call", { ...call("/tmp/a"), ...retry }, forms);
  expect(readText(same.messages[0])).toBe("removed /tmp/a");
});

test("a requestState is refused to another token", async () => {
  const tokens = new Map([
    ["one", "ada"],
    ["two", "bob"],
  ]);
  const http = await serveHttp(startServer([askName]).server, { token: tokens });
  const send = (id: number, token: string, more: object) =>
    http.send("POST", request(id, "tools/call", { ...talk(more), _meta: modernMeta(forms) }), {
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "talk",
    });
  const { state } = askedIn((await send(1, "one", {})).messages[0]);
  const retry = { requestState: state, inputResponses: { name: accept({ name: "Eve" }) } };
  const foreign = await send(2, "two", retry);
  expect(foreign.messages[0]?.error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/has expired or was used/),
  });
  expect(readText((await send(3, "one", retry)).messages[0])).toBe("Hello, Eve");
});

test.for([
  { what: "a number", answer: 12345 },
  { what: "no action", answer: {} },
  { what: "an unknown action", answer: { action: "maybe" } },
  { what: "a list as content", answer: { action: "accept", content: [] } },
])("an answer that is $what is refused, and the call still waits", async ({ answer }) => {
  const http = await serveHttp(startServer([askName]).server);
  const { state } = askedIn((await http.modern(1, "tools/call", talk(), forms)).messages[0]);
  const bad = await http.modern(
    2,
    "tools/call",
    talk({ requestState: state, inputResponses: { name: answer } }),
    forms,
  );
  expect(bad.messages[0]?.error?.code).toBe(-32602);
  const good = talk({ requestState: state, inputResponses: { name: accept({ name: "Ada" }) } });
  expect(readText((await http.modern(3, "tools/call", good, forms)).messages[0])).toBe("Hello, Ada");
});

test("a call whose client does not come back is given up after its time, and its tool stopped", async () => {
  const clock = createFakeClock();
  const { server, events } = startServer([askName], {
    executor: { timeoutMs: 600_000 },
    server: { clock, parkedMs: 1000 },
  });
  const http = await serveHttp(server);
  const { state } = askedIn((await http.modern(1, "tools/call", talk(), forms)).messages[0]);
  await clock.advance(1001);
  await expect
    .poll(() => events.at(-1))
    .toMatchObject({ type: "tool.failed", result: { code: "TOOL_CANCELLED" } });
  const late = await http.modern(2, "tools/call", talk({ requestState: state, inputResponses: {} }), forms);
  expect(late.messages[0]?.error?.message).toMatch(/has expired or was used/);
});

test("no more calls wait than there may", async () => {
  const { server } = startServer([askName], { server: { maxParked: 2 } });
  const http = await serveHttp(server);
  for (const id of [1, 2]) askedIn((await http.modern(id, "tools/call", talk(), forms)).messages[0]);
  const third = await http.modern(3, "tools/call", talk(), forms);
  expect(readText(third.messages[0])).toMatch(/2 calls wait for an answer already.*\[MCP_BUSY\]/);
});

test("a tool that stops waiting withdraws its question", async () => {
  const controller = new AbortController();
  const { server } = startServer([
    talkingTool(async (peer) => {
      try {
        await peer.elicit(nameForm, { signal: controller.signal });
        return "answered";
      } catch (reason) {
        return String(reason);
      }
    }),
  ]);
  const client = connectLines(server);
  client.send(initialize("2025-11-25", forms));
  await client.next();
  client.send(request(1, "tools/call", talk()));
  const asked = await client.next();
  controller.abort("enough");
  expect(await client.next()).toMatchObject({
    method: "notifications/cancelled",
    params: { requestId: asked.id },
  });
  expect(readText(await client.next())).toBe("enough");
});

test.for([
  { what: "a form it can't show", capabilities: {}, needs: { elicitation: { form: {} } }, ask: "elicit" },
  {
    what: "a form if it shows pages only",
    capabilities: { elicitation: { url: {} } },
    needs: { elicitation: { form: {} } },
    ask: "elicit",
  },
  {
    what: "a page it can't open",
    capabilities: { elicitation: {} },
    needs: { elicitation: { url: {} } },
    ask: "elicitUrl",
  },
  { what: "a model it does not have", capabilities: {}, needs: { sampling: {} }, ask: "sample" },
  { what: "folders it does not tell", capabilities: {}, needs: { roots: {} }, ask: "roots" },
] as const)("McpPeer never asks a client for $what", async ({ capabilities, needs, ask }) => {
  const { server } = startServer([
    talkingTool(async (peer) => {
      if (ask === "elicit") await peer.elicit(nameForm);
      else if (ask === "elicitUrl")
        await peer.elicitUrl({ message: "Go there", url: "https://example.com/" });
      else if (ask === "sample") await peer.sample({ messages: [], maxTokens: 1 });
      else await peer.roots();
      return "asked";
    }),
  ]);
  const http = await serveHttp(server);
  const modern = await http.modern(1, "tools/call", talk(), capabilities);
  expect([modern.status, modern.messages[0]?.error]).toMatchObject([
    400,
    { code: -32021, data: { requiredCapabilities: needs } },
  ]);
  const session = await http.begin("2025-11-25", capabilities);
  const legacy = await http.send("POST", request(1, "tools/call", talk()), session);
  expect(legacy.messages).toMatchObject([
    { result: { isError: true, _meta: { "haft/call": { code: "MCP_CAPABILITY" } } } },
  ]);
});

test("McpPeer.elicitUrl() sends a person to a page, and tells a client of 2025-11-25 when the matter is settled", async () => {
  const { server } = startServer([
    talkingTool(async (peer) => {
      const answer = await peer.elicitUrl({ message: "Sign in", url: "https://example.com/sign-in" });
      answer.done();
      return answer.action;
    }),
  ]);
  const client = connectLines(server);
  client.send(initialize("2025-11-25", { elicitation: { url: {} } }));
  await client.next();
  client.send(request(1, "tools/call", talk()));
  const asked = await client.next();
  expect(asked.params).toEqual({
    mode: "url",
    message: "Sign in",
    url: "https://example.com/sign-in",
    elicitationId: expect.any(String),
  });
  client.send({ jsonrpc: "2.0", id: asked.id, result: { action: "accept" } });
  expect(await client.next()).toMatchObject({
    method: "notifications/elicitation/complete",
    params: { elicitationId: asked.params?.["elicitationId"] },
  });
  expect(readText(await client.next())).toBe("accept");
});

test("McpPeer.elicit() rejects what does not fit the form, and drops what the form does not have", async () => {
  const schema = {
    type: "object",
    properties: { age: { type: "integer", minimum: 18 } },
    required: ["age"],
  } as const;
  const { server } = startServer([
    talkingTool(async (peer) => {
      const answer = await peer.elicit({ message: "How old?", schema }, { key: "age" });
      return JSON.stringify(answer);
    }),
  ]);
  const http = await serveHttp(server);
  const answerWith = async (content: object) =>
    readText(
      (await http.modern(1, "tools/call", talk({ inputResponses: { age: accept(content) } }), forms))
        .messages[0],
    );
  expect(await answerWith({ age: 20, shoe: 44 })).toBe('{"action":"accept","content":{"age":20}}');
  for (const content of [{}, { age: 17 }, { age: 20.5 }, { age: "20" }]) {
    expect(await answerWith(content)).toMatch(/\[MCP_BAD_ANSWER\]/);
  }
});

test("McpPeer rejects with MCP_CLIENT_ERROR where the client fails to answer", async () => {
  const faults: unknown[] = [];
  const { server } = startServer([
    talkingTool(async (peer) => {
      await peer.sample({ messages: [], maxTokens: 1 }).catch((error: unknown) => faults.push(error));
      return "done";
    }),
  ]);
  const client = connectLines(server);
  client.send(initialize("2025-11-25", { sampling: {} }));
  await client.next();
  client.send(request(1, "tools/call", talk()));
  const asked = await client.next();
  client.send({ jsonrpc: "2.0", id: asked.id, error: { code: -1, message: "User rejected sampling" } });
  expect(readText(await client.next())).toBe("done");
  expect(faults).toEqual([expect.any(McpError)]);
  expect(faults[0]).toMatchObject({
    code: "MCP_CLIENT_ERROR",
    message: expect.stringMatching(/User rejected sampling \(-1\)/),
  });
});

test("a remembered yes is asked once: the grant covers exactly this call", async () => {
  const granted: unknown[] = [];
  const grants: Grants = {
    find: async ({ params }) =>
      granted.some((known) => JSON.stringify(known) === JSON.stringify(params)) ? ["g1"] : undefined,
    add: async ({ key }) => `g${granted.push(key.params)}`,
    whyNot: async () => undefined,
  };
  const http = await serveHttp(startServer([removeTool], { executor: { grants } }).server);
  const call = (path: string) => ({ name: "remove", arguments: { path } });
  const asked = askedIn((await http.modern(1, "tools/call", call("/a"), forms)).messages[0]);
  const answers = {
    [Object.keys(asked.requests)[0] as string]: accept({ decision: "allow always: exactly this call" }),
  };
  await http.modern(
    2,
    "tools/call",
    { ...call("/a"), requestState: asked.state, inputResponses: answers },
    forms,
  );
  expect(readText((await http.modern(3, "tools/call", call("/a"), forms)).messages[0])).toBe("removed /a");
  askedIn((await http.modern(4, "tools/call", call("/b"), forms)).messages[0]);
});

test.for([
  { what: "declines", answer: { action: "decline" } },
  { what: "closes the question", answer: { action: "cancel" } },
  { what: "answers something else", answer: { action: "accept", content: { decision: "sure" } } },
  { what: "accepts without an answer", answer: { action: "accept" } },
  { what: "answers deny", answer: { action: "accept", content: { decision: "deny" } } },
])("a call does not run where its user $what", async ({ answer }) => {
  const http = await serveHttp(startServer([removeTool]).server);
  const call = { name: "remove", arguments: { path: "/a" } };
  const asked = askedIn((await http.modern(1, "tools/call", call, forms)).messages[0]);
  const answers = { [Object.keys(asked.requests)[0] as string]: answer };
  const refused = await http.modern(
    2,
    "tools/call",
    { ...call, requestState: asked.state, inputResponses: answers },
    forms,
  );
  expect(refused.messages[0]?.result).toMatchObject({
    isError: true,
    _meta: { "haft/call": { code: "TOOL_PERMISSION" } },
  });
});
