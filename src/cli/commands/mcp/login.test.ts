import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Installation } from "../../../../test/support/installation.ts";
import { LoginWorld, type Twists } from "../../../../test/support/login-world.ts";
import { runCommandLine } from "../../run.ts";

interface Running {
  readonly ended: Promise<number>;
  readonly stdin: PassThrough;
  out(): string;
  err(): string;
}

async function openWorld(twists: Twists = {}) {
  const world = await LoginWorld.open(twists);
  const installation = new Installation();
  installation.write(
    "home/config.yml",
    `mcpServers:\n  world:\n    url: ${world.url}\n    auth: { hosts: ["${world.as.host}"] }\n`,
  );
  const haft = (...args: string[]): Running => {
    const stream = () => new PassThrough({ encoding: "utf8" });
    const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
    const said = { out: "", err: "" };
    streams.stdout.on("data", (text) => (said.out += text));
    streams.stderr.on("data", (text) => (said.err += text));
    const where = ["--folder", installation.folder, "--home", installation.home.folder];
    const program = [process.execPath, "main.js"] as const;
    const ended = runCommandLine(["mcp", ...args, ...where], { streams, version: "0", root: ".", program });
    return { ended, stdin: streams.stdin, out: () => said.out, err: () => said.err };
  };
  return { world, haft };
}

/** The address that the command shows, once it does. */
async function shownBy(running: Running): Promise<string> {
  const shown = () => /^http:\/\/\S+\/authorize\?\S+$/m.exec(running.err())?.[0];
  await expect.poll(shown, { timeout: 10_000 }).toBeDefined();
  await expect.poll(() => running.err()).toContain("paste the address it ends at");
  return shown() as string;
}

test("haft mcp login shows where to log in, waits for the browser, and logout forgets", async () => {
  const { world, haft } = await openWorld();
  const login = haft("login", "world", "--no-browser", "--json");
  const answer = await fetch(await shownBy(login), { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
  expect(await login.ended).toBe(0);
  expect(JSON.parse(login.out())).toEqual({
    name: "world",
    loggedIn: true,
    issuer: world.as.url,
    scope: "tools",
    expiresAt: expect.stringMatching(/^\d{4}-/),
    renews: true,
  });
  for (const secret of world.secrets) expect(login.out() + login.err()).not.toContain(secret);

  const logout = haft("logout", "world");
  expect(await logout.ended).toBe(0);
  expect(logout.out()).toBe("You are logged out of world\n");
  expect([world.access.size, world.refresh.size]).toEqual([0, 0]);
  const again = haft("logout", "world");
  expect(await again.ended).toBe(0);
  expect(again.out()).toBe("You were not logged in to world\n");
});

test("haft mcp login takes the address that a browser elsewhere ended at, and says what its page says", async () => {
  const { world, haft } = await openWorld();
  const login = haft("login", "world");
  const answer = await fetch(await shownBy(login), { redirect: "manual" });
  const page = readFileSync("docs/guide/mcp-login.md", "utf8");
  const shown = /^Log in to [^`]*(?=\n```$)/m.exec(page)?.[0] ?? "";
  const plain = (text: string) => text.replaceAll(/https?:\/\/\S+/g, "ADDRESS");
  const here = plain(shown).replace("tracker", "world").replace("auth.example.com", world.as.host);
  expect(plain(login.err())).toContain(here);
  expect(here).toContain("ADDRESS");
  login.stdin.write(`${answer.headers.get("location")}\n`);
  expect(await login.ended).toBe(0);
  expect(login.out()).toBe(`You are logged in to world by ${world.as.url}\n`);
});

test("haft mcp login --device shows a code", async () => {
  const { world, haft } = await openWorld({ interval: 1 });
  const login = haft("login", "world", "--device");
  await expect.poll(() => login.err(), { timeout: 10_000 }).toContain("\n  ABCD-EFGH\n");
  for (const device of world.devices.keys()) world.devices.set(device, "confirmed");
  expect(await login.ended).toBe(0);
});

test("haft mcp login names what is near a server that is not there", async () => {
  const { haft } = await openWorld();
  const login = haft("login", "wurld");
  expect(await login.ended).not.toBe(0);
  expect(login.err()).toContain(
    'Cannot log in to the MCP server "wurld": there is none; did you mean "world"',
  );
});
