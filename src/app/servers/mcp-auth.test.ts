import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { LoginWorld, willing } from "../../../test/support/login-world.ts";
import { readServers } from "../../mcp/index.ts";
import { parseConfig } from "../config/config.ts";
import { createApp } from "../create-app.ts";

async function loggedIn() {
  const installation = new Installation();
  const world = await LoginWorld.open();
  const config = `mcpServers:\n  world:\n    url: ${world.url}\n    auth: { hosts: ["${world.as.host}"] }\n`;
  const opened = await installation.open(config, { sources: "none" });
  await (await opened.app.logins()).logIn(world.server(), { person: willing() });
  const tokens = [...world.access.keys(), ...world.refresh];
  expect(tokens).toHaveLength(2);
  return { installation, world, opened, tokens };
}

test("a login is kept encrypted, and no tool and no list of secrets shows it", async () => {
  const { installation, opened, tokens } = await loggedIn();
  const { app } = opened;
  expect(await app.secrets.list("local")).toEqual([]);
  expect(await opened.call("secret_list", {})).toMatchObject({ success: true, result: { secrets: [] } });
  await app.close();
  for (const end of ["", "-wal"]) {
    const file = `${installation.home.database}${end}`;
    const bytes = readIfThere(file);
    for (const token of tokens) expect(bytes.includes(token)).toBe(false);
  }
});

test("the next haft takes the tokens out of every output from its first call on, and uses them", async () => {
  const { installation, world, opened, tokens } = await loggedIn();
  await opened.app.close();
  installation.write("project/leak.txt", `${tokens.join("\n")}\n`);
  const app = await createApp({ folder: installation.folder, home: installation.home, sources: "once" });
  try {
    const read = await app.executor.run("read", { path: "leak.txt" }, app.context);
    expect(read).toMatchObject({ success: true });
    for (const token of tokens) expect(JSON.stringify(read)).not.toContain(token);
    await app.sources.settled();
    expect(app.registry.list().map(({ name }) => name)).toContain("world__who");
    expect(world.seen.at(-1)?.authorization).toBe(`Bearer ${[...world.access.keys()][0]}`);
  } finally {
    await app.close();
  }
});

test("rotating the key of the secrets keeps a login", async () => {
  const { world, opened } = await loggedIn();
  await opened.app.secrets.rotate();
  expect(await (await opened.app.logins()).info(world.server())).toMatchObject({
    issuer: world.as.url,
    renews: true,
  });
});

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

test("the settings of docs/guide/mcp-login.md are settings", async () => {
  const page = readFileSync(new URL("../../../docs/guide/mcp-login.md", import.meta.url), "utf8");
  const blocks = Array.from(page.matchAll(/```yaml\n([\s\S]*?)```/g), ([, yaml]) => yaml as string);
  expect(blocks).toHaveLength(2);
  for (const yaml of blocks) {
    const { mcpServers } = await parseConfig(yaml, "config.yml", (name) => name);
    const { servers, problems } = readServers(mcpServers);
    expect(problems).toEqual([]);
    expect(servers.map(({ auth }) => auth?.issuer)).toEqual(["https://auth.example.com"]);
  }
});

test.for([
  [{ type: "client_credentials", clientId: "a" }],
  [{ type: "client_credentials", clientSecret: "secret:A" }],
  [{ type: "password" }],
  [{ redirectUri: "https://evil.example.com/callback" }],
  [{ redirectUri: "http://127.0.0.1/callback" }],
  [{ clientID: "a" }],
  [{ hosts: "a.example" }],
  ["token"],
])("readServers() puts an entry with the auth %j aside", ([auth]) => {
  expect(readServers({ one: { url: "https://a.example/mcp", auth } })).toMatchObject({
    servers: [],
    problems: [{ where: "one", message: expect.stringContaining('"auth" must be') }],
  });
});
