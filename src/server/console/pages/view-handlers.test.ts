import { expect, test } from "vitest";
import { ConsoleViews, type ViewRequest } from "../../../../test/support/console-views.ts";
import type { ViewsApi } from "../api/index.ts";
import { viewHandlers } from "./view-handlers.ts";

const secret = "ghp_canary0123456789canary0123456789";
const config = `# the key is ${secret}
permissions:
  # ${secret}
  - { tool: write, reason: "${secret}", decision: ask }
mcpServers:
  docs: { url: "http://me:${secret}@127.0.0.1:9/mcp", headers: { Authorization: "Bearer ${secret}" } }
hooks:
  - { id: note, type: post_tool, command: "echo ${secret}", tools: [glob] }
`;

/** What each GET is asked with; the compiler wants all of them here. */
type Requests = {
  readonly [Key in keyof ViewsApi as Key extends `GET ${string}` ? Key : never]: ViewRequest;
};

async function fill(): Promise<{ readonly views: ConsoleViews; readonly requests: Requests }> {
  const views = await ConsoleViews.open(config, { sources: "none" });
  const { app } = views;
  const { store } = await app.memory.filed();
  const [entry] = await store.edit(
    "local",
    [
      {
        do: "create_block",
        entry: { kind: "block", label: "keys", tier: "core", text: `The key: ${secret}` },
      },
    ],
    { by: "owner:ada" },
  );
  const { graph, sessions, tasks } = await app.store();
  await graph.add("local", [{ entryId: entry?.id ?? "", nodes: [{ name: `Key ${secret}` }] }]);
  const [found] = await graph.find("local", "Key");
  const session = await sessions.open({ scope: "local", agentId: "main", channel: "console", title: secret });
  const parts = [{ type: "text" as const, text: secret }];
  await sessions.post({ scope: "local", sessionId: session.id, sender: "user", parts });
  const task = await tasks.create({ scope: "local", projectId: "app", title: `Use ${secret}` });
  await tasks.addNote("local", task.id, { kind: "feedback", text: secret });
  await tasks.create({ scope: "local", projectId: "app", title: secret, dependsOn: [task.id] });
  const call = await app.executor.run("read", { path: `${secret}.txt` }, app.context);
  // Only now: all of the above was written before anybody knew that it is one.
  await app.secrets.set("local", "GITHUB", secret);
  const requests: Requests = {
    "GET /tools": {},
    "GET /tools/:name": { segments: { name: "read" } },
    "GET /trace/:id": { segments: { id: call.callId } },
    "GET /servers": {},
    "GET /server": { query: { name: "docs" } },
    "GET /memory": {},
    "GET /memory/search": { query: { q: "key", mode: "words" } },
    "GET /memory/overview": {},
    "GET /memory/prompt": {},
    "GET /memory/entries/:id": { segments: { id: entry?.id ?? "" } },
    "GET /memory/nodes": { query: { name: "Key" } },
    "GET /memory/nodes/:id": { segments: { id: found?.node.id ?? "" } },
    "GET /policy": {},
    "GET /grants": {},
    "GET /secrets": {},
    "GET /hooks": {},
    "GET /cost": {},
    "GET /cost/span": { query: { since: "0", until: String(Date.now()) } },
    "GET /chat/sessions": {},
    "GET /chat/sessions/:id": { segments: { id: session.id } },
    "GET /tasks": {},
    "GET /tasks/graph": {},
    "GET /tasks/:id": { segments: { id: task.id } },
    "GET /chat/runs/:id/events": { segments: { id: "run_none" } },
  };
  return { views, requests };
}

test("every GET answers JSON, in which no secret is, nor a token of haft's own", async () => {
  const { views, requests } = await fill();
  const { home } = views.installation;
  const tokens = [home.token(), home.ownerToken(), home.stateKey(), home.bridgeKey(), secret];
  for (const key of Object.keys(viewHandlers).filter((one) => one.startsWith("GET "))) {
    const known = key as keyof Requests;
    expect(Object.keys(requests), `${key} is asked for`).toContain(known);
    const answer: unknown = await views.ask(known, requests[known]).catch((error: unknown) => {
      expect(error, key).toMatchObject({ code: "CONSOLE_NOT_FOUND" });
      expect(key).toBe("GET /chat/runs/:id/events");
      return {};
    });
    const text = JSON.stringify(answer);
    expect(JSON.parse(text), key).toBeTypeOf("object");
    for (const token of tokens) expect(text.includes(token), key).toBe(false);
  }
});

/** Those that take no body, and act on nothing but what their address names. */
const bodiless = [
  "POST /policy/test",
  "POST /doctor",
  "POST /chat/sessions/:id/delete",
  "POST /chat/runs/:id/interrupt",
];

test("every POST that takes a body refuses one that it does not know", async () => {
  const views = await ConsoleViews.open("", { sources: "none" });
  const keys = Object.keys(viewHandlers).filter((key) => key.startsWith("POST ") && !bodiless.includes(key));
  expect(keys.length).toBeGreaterThan(20);
  for (const key of keys) {
    for (const body of ["text", null, [], { "a strange key": true }]) {
      const segments = { id: "any", name: "read" };
      await expect(views.ask(key as keyof ViewsApi, { segments, body }), key).rejects.toMatchObject({
        code: "CONSOLE_INPUT",
      });
    }
  }
});
