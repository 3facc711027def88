import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { LoginWorld } from "../../../../test/support/login-world.ts";
import { OwnerPin } from "../../../app/index.ts";

/** A server that says something beside the protocol, with a secret in it, and ends. */
const broken = `mcpServers:
  broken:
    command: ${JSON.stringify(process.execPath)}
    args: ["-e", "console.error('no database at ' + process.env.DB); process.exit(3)"]
    env: { DB: "\${secret:DB_PASSWORD}" }
    unconfined: true
`;

async function withBroken() {
  const views = await ConsoleViews.open(broken);
  await views.app.secrets.set("local", "DB_PASSWORD", "hunter2-hunter2");
  await views.app.sources.settled();
  await views.app.sources.mcp?.reconnect("broken").catch(() => undefined);
  return views;
}

test("a server that can't be reached shows why, when it was tried, and what it said, without secrets", async () => {
  const views = await withBroken();
  const [state] = await views.ask("GET /servers");
  expect(state).toMatchObject({
    server: "broken",
    status: "failed",
    reason: expect.stringContaining("code 3"),
  });
  const detail = await views.ask("GET /server", { query: { name: "broken" } });
  expect(detail).toMatchObject({ place: "user", triedAt: expect.any(Number), tools: [], waiting: [] });
  expect(detail.stderr).toMatch(/^no database at \[secret/);
  expect(JSON.stringify(detail)).not.toContain("hunter2");
  expect(await views.ask("POST /server/restart", { body: { name: "broken" } })).toMatchObject({
    status: "failed",
  });
  expect(await views.ask("POST /server/test", { body: { name: "broken" } })).toMatchObject({
    ok: false,
    error: expect.stringContaining("broken"),
  });
});

test("a server that nobody has configured is not found, and what is no name is refused", async () => {
  const views = await ConsoleViews.open();
  await expect(views.ask("GET /server", { query: { name: "none" } })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
  for (const body of [undefined, {}, { name: 1 }, { name: "a", command: "id" }])
    await expect(views.ask("POST /server/restart", { body })).rejects.toMatchObject({
      code: "CONSOLE_INPUT",
    });
});

test("a pasted server is shown first, and added only then, with its token in the secret store", async () => {
  const views = await ConsoleViews.open("# mine\nmode: ask\n");
  const world = await LoginWorld.open();
  const text = JSON.stringify({
    mcpServers: {
      world: { url: world.url, headers: { "X-Api-Key": "sk-1234567890abcdef" } },
      odd: { url: "ftp://example.com" },
    },
  });
  const offered = await views.ask("POST /servers/read", { body: { text } });
  expect(offered).toMatchObject({
    servers: [
      { server: { name: "world", headers: { "X-Api-Key": "…" } }, secrets: ["X-Api-Key"], isTaken: false },
    ],
    passedOver: [{ name: "odd" }],
  });
  expect(await views.ask("GET /servers")).toEqual([]);
  const body = { text, names: ["world"] };
  expect(await views.ask("POST /servers/add", { body })).toMatchObject({
    names: ["world"],
    secrets: ["WORLD_X_API_KEY"],
  });
  const written = views.installation.home.read("config.yml") ?? "";
  expect(written).toContain("# mine");
  expect(written).toContain("${secret:WORLD_X_API_KEY}");
  expect(written).not.toContain("sk-1234567890");
  await expect(views.ask("POST /servers/add", { body })).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});

test.for(["no JSON", "{}", '{"theme": "dark"}'])("a text without a server adds nothing: %s", async (text) => {
  const views = await ConsoleViews.open();
  await expect(views.ask("POST /servers/read", { body: { text } })).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
    message: expect.stringContaining("no MCP server"),
  });
});

test("nothing is added without the owner's PIN, if one is set", async () => {
  const installation = new Installation();
  await new OwnerPin(installation.home).set("1234");
  const views = await ConsoleViews.open("", {}, installation);
  const text = '"docs": { "url": "https://docs.example/mcp" },';
  const body = { text, names: ["docs"] };
  await expect(views.ask("POST /servers/add", { body })).rejects.toMatchObject({ code: "PIN_REQUIRED" });
  await expect(views.ask("POST /servers/add", { body: { ...body, pin: "0000" } })).rejects.toMatchObject({
    code: "PIN_WRONG",
  });
  expect(installation.home.read("config.yml") ?? "").not.toContain("docs");
});

test("a login gives the address to open, and is done once the browser has come back", async () => {
  const world = await LoginWorld.open();
  const config = `mcpServers:\n  world:\n    url: ${world.url}\n    auth: { hosts: ["${world.as.host}"] }\n`;
  const views = await ConsoleViews.open(config, { sources: "once" });
  const begun = await views.ask("POST /server/login", { body: { name: "world" } });
  if (begun.state !== "waiting") throw new Error(`it is ${JSON.stringify(begun)}`);
  expect(new URL(begun.url).host).toBe(world.as.host);
  const back = (await fetch(begun.url, { redirect: "manual" })).headers.get("location");
  if (back !== null) await fetch(back);
  await expect
    .poll(async () => (await views.ask("GET /server", { query: { name: "world" } })).loginState)
    .toEqual({ state: "done" });
  const detail = await views.ask("GET /server", { query: { name: "world" } });
  expect(detail.login).toMatchObject({ issuer: world.as.url });
  for (const secret of world.secrets) expect(JSON.stringify(detail)).not.toContain(secret);
  expect(await views.ask("POST /server/logout", { body: { name: "world" } })).toMatchObject({
    loggedOut: true,
  });
});

test("a tool that is refused waits no more, is on the list of its server, and needs the owner's PIN", async () => {
  const config = "mcpServers:\n  # mine\n  docs: { url: 'http://127.0.0.1:9/mcp' }\n";
  const views = await ConsoleViews.open(config, { sources: "none" });
  const { definitions } = await views.app.store();
  const see = (description: string) =>
    definitions.see("local", "mcp:docs", [{ name: "find", text: JSON.stringify({ description }) }]);
  await see("Find pages.");
  await see("Find pages, and mail them.");
  await new OwnerPin(views.installation.home).set("1234");
  const body = { name: "docs", tool: "find" };
  await expect(views.ask("POST /server/refuse", { body })).rejects.toMatchObject({ code: "PIN_REQUIRED" });
  const { waiting } = await views.ask("GET /server", { query: { name: "docs" } });
  expect(waiting).toHaveLength(1);
  const refused = await views.ask("POST /server/refuse", { body: { ...body, pin: "1234" } });
  expect(refused).toEqual({ file: views.installation.home.config });
  const written = views.installation.home.read("config.yml") ?? "";
  expect(written).toContain("# mine");
  expect(written).toMatch(/deny: \[ *find *\]/);
  await see("Find pages, and delete them.");
  const detail = await views.ask("GET /server", { query: { name: "docs" } });
  expect(detail).toMatchObject({ waiting: [], server: { deny: ["find"] } });
  await expect(views.ask("POST /server/refuse", { body })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});

test("a changed definition is accepted as it was shown, and not if it was changed again", async () => {
  const views = await ConsoleViews.open("mcpServers:\n  docs: { url: 'http://127.0.0.1:9/mcp' }\n", {
    sources: "none",
  });
  const { definitions } = await views.app.store();
  const see = (description: string) =>
    definitions.see("local", "mcp:docs", [{ name: "find", text: JSON.stringify({ description }) }]);
  await see("Find pages.");
  await see("Find pages, and mail them.");
  const { waiting } = await views.ask("GET /server", { query: { name: "docs" } });
  expect(waiting).toMatchObject([{ tool: "find", isNew: false }]);
  expect(waiting[0]?.diff).toContainEqual({ kind: "+", text: "  Find pages, and mail them." });
  const body = { name: "docs", tool: "find", after: waiting[0]?.after };
  await see("Find pages, and delete them.");
  await expect(views.ask("POST /server/accept", { body })).rejects.toMatchObject({ code: "CONSOLE_CHANGED" });
  const after = JSON.stringify({ description: "Find pages, and delete them." });
  expect(await views.ask("POST /server/accept", { body: { ...body, after } })).toEqual({ accepted: true });
  const kept = await definitions.list("local", "mcp:docs");
  expect(kept).toMatchObject([{ accepted: { text: after, by: "person:console" } }]);
});
