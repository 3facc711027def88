import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type StartedCommand, startCommand } from "../../../../test/support/command-line.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { LoginWorld, type Twists } from "../../../../test/support/login-world.ts";

async function openWorld(twists: Twists = {}) {
  const world = await LoginWorld.open(twists);
  const installation = new Installation();
  installation.write(
    "home/config.yml",
    `mcpServers:\n  world:\n    url: ${world.url}\n    auth: { hosts: ["${world.as.host}"] }\n`,
  );
  const haft = (...args: string[]) => startCommand(["mcp", ...args], { place: installation });
  return { world, haft };
}

/** The address that the command shows, once it does. */
async function shownBy(running: StartedCommand): Promise<string> {
  const shown = () => /^http:\/\/\S+\/authorize\?\S+$/m.exec(running.said.stderr)?.[0];
  await expect.poll(shown).toBeDefined();
  await expect.poll(() => running.said.stderr).toContain("paste the address it ends at");
  return shown() as string;
}

test("haft mcp login shows where to log in, waits for the browser, and logout forgets", async () => {
  const { world, haft } = await openWorld();
  const login = haft("login", "world", "--no-browser", "--json");
  const answer = await fetch(await shownBy(login), { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
  expect((await login.ended).exitCode).toBe(0);
  expect(JSON.parse(login.said.stdout)).toEqual({
    name: "world",
    loggedIn: true,
    issuer: world.as.url,
    scope: "tools",
    expiresAt: expect.stringMatching(/^\d{4}-/),
    renews: true,
  });
  for (const secret of world.secrets) expect(login.said.stdout + login.said.stderr).not.toContain(secret);

  const logout = haft("logout", "world");
  expect((await logout.ended).exitCode).toBe(0);
  expect(logout.said.stdout).toBe("You are logged out of world\n");
  expect([world.access.size, world.refresh.size]).toEqual([0, 0]);
  const again = haft("logout", "world");
  expect((await again.ended).exitCode).toBe(0);
  expect(again.said.stdout).toBe("You were not logged in to world\n");
});

test("haft mcp login takes the address that a browser elsewhere ended at, and says what its page says", async () => {
  const { world, haft } = await openWorld();
  const login = haft("login", "world");
  const answer = await fetch(await shownBy(login), { redirect: "manual" });
  const page = readFileSync("docs/guide/mcp-login.md", "utf8");
  const shown = /^Log in to [^`]*(?=\n```$)/m.exec(page)?.[0] ?? "";
  const plain = (text: string) => text.replaceAll(/https?:\/\/\S+/g, "ADDRESS");
  const here = plain(shown).replace("tracker", "world").replace("auth.example.com", world.as.host);
  expect(plain(login.said.stderr)).toContain(here);
  expect(here).toContain("ADDRESS");
  login.stdin.write(`${answer.headers.get("location")}\n`);
  expect((await login.ended).exitCode).toBe(0);
  expect(login.said.stdout).toBe(`You are logged in to world by ${world.as.url}\n`);
});

test("haft mcp login --device shows a code", async () => {
  const { world, haft } = await openWorld({ interval: 1 });
  const login = haft("login", "world", "--device");
  await expect.poll(() => login.said.stderr).toContain("\n  ABCD-EFGH\n");
  for (const device of world.devices.keys()) world.devices.set(device, "confirmed");
  expect((await login.ended).exitCode).toBe(0);
});

test("haft mcp login names what is near a server that is not there", async () => {
  const { haft } = await openWorld();
  const login = haft("login", "wurld");
  expect((await login.ended).exitCode).not.toBe(0);
  expect(login.said.stderr).toContain(
    'Cannot log in to the MCP server "wurld": there is none; did you mean "world"',
  );
});
