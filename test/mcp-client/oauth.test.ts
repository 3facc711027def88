import { expect, test, vi } from "vitest";
import type { Clock } from "../../src/base/index.ts";
import { McpError } from "../../src/mcp/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { LoginWorld, openLogins, requestToken, send, willing } from "../support/login-world.ts";
import { openMcp } from "../support/mcp-servers.ts";

/** How often somebody began to wait for so long: requests have their deadlines on the same clock. */
function countWaits(clock: Clock, ms: number): () => number {
  const after = vi.spyOn(clock, "after");
  return () => after.mock.calls.filter(([delayMs]) => delayMs === ms).length;
}

test("a call of a server that asks who is there fails with MCP_LOGIN_REQUIRED, and opens nothing by itself", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  expect(mcp.connections.health()[0]).toMatchObject({
    status: "failed",
    code: "MCP_LOGIN_REQUIRED",
    reason: expect.stringContaining("run `haft mcp login world"),
  });
  expect(new Set(world.seen.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
});

test("logIn() finds the authorization server, registers, proves the code its own, and calls have a token", async () => {
  const world = await LoginWorld.open();
  const { logins, kept, learned } = openLogins();
  const person = willing();
  expect(await logins.logIn(world.server(), { person })).toEqual({
    issuer: world.as.url,
    scope: "tools",
    expiresAt: expect.any(Number),
    renews: true,
  });
  const query = person.shown[0]?.searchParams;
  expect(query?.get("code_challenge_method")).toBe("S256");
  expect(query?.get("resource")).toBe(world.url);
  expect(query?.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
  expect(world.of("/token")[0]?.form.get("resource")).toBe(world.url);
  expect(kept.get("world")).toMatchObject({
    server: world.url,
    resource: world.url,
    grant: "authorization_code",
  });
  // Each secret is known to the redactor before anybody could print it.
  for (const secret of world.secrets) expect(learned).toContain(secret);

  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({ success: true });
});

test("each login has a port, a path and a state of its own", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  const person = willing();
  await logins.logIn(world.server(), { person });
  await logins.logIn(world.server(), { person });
  const [one, other] = person.shown.map(({ searchParams }) => searchParams);
  expect(one?.get("redirect_uri")).not.toBe(other?.get("redirect_uri"));
  expect(one?.get("state")).not.toBe(other?.get("state"));
  expect(one?.get("state")?.length).toBeGreaterThanOrEqual(43);
});

test("logIn() takes the address that a browser on another machine ended at, pasted", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  let place = "";
  await logins.logIn(world.server(), {
    person: {
      async showAuthorization({ url }) {
        place = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
      },
      paste: async () => ` ${place}\n`,
      showCode: () => undefined,
    },
  });
  expect(world.access.has((await requestToken(logins, world.server())) ?? "")).toBe(true);
});

test("a token that ends soon is made anew before the request, once for all who ask", async () => {
  const world = await LoginWorld.open({ expiresIn: 30 });
  const { logins, kept } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  const first = kept.get("world")?.accessToken;
  const tokens = await Promise.all(Array.from({ length: 20 }, () => requestToken(logins, world.server())));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).not.toBe(first);
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
  expect(world.of("/token")[1]?.form.get("resource")).toBe(world.url);
  expect(kept.get("world")?.accessToken).toBe(tokens[0]);
});

test("a token that the server refuses is made anew once, and the call goes on", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  world.access.clear();
  const calls = Array.from({ length: 4 }, () => mcp.executor.execute("world__who", {}));
  for (const result of await Promise.all(calls)) expect(result).toMatchObject({ success: true });
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
});

test("a server that refuses every token gets no more than one refresh", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  // What it gives from now on is never good.
  world.access.set = () => world.access;
  world.access.clear();
  for (let count = 0; count < 5; count++) {
    const result = await mcp.executor.execute("world__who", {});
    expect(result).toMatchObject({
      success: false,
      code: expect.stringMatching(/^MCP_(UNAUTHORIZED|LOGIN_REQUIRED)$/),
    });
  }
  expect(world.grants().filter((grant) => grant === "refresh_token")).toHaveLength(1);
});

test("a refresh token that has ended too leads to MCP_LOGIN_REQUIRED, and the next login to a working call", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  world.access.clear();
  world.refresh.clear();
  for (let count = 0; count < 3; count++)
    expect(await mcp.executor.execute("world__who", {})).toMatchObject({ code: "MCP_LOGIN_REQUIRED" });
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
  await logins.logIn(world.server(), { person: willing() });
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({ success: true });
});

test("a refresh that does not work out costs nothing until the token has ended", async () => {
  const clock = createFakeClock(Date.now());
  const world: LoginWorld = await LoginWorld.open({
    token: (form, response) => {
      if (form.get("grant_type") === "refresh_token")
        return send(response, 503, { error: "temporarily_unavailable" });
      const tokens = { access_token: world.make("access"), refresh_token: world.make("refresh") };
      return send(response, 200, { ...tokens, token_type: "bearer", expires_in: 70 });
    },
  });
  const { logins, kept } = openLogins({}, new Map(), clock);
  await logins.logIn(world.server(), { person: willing() });
  await clock.advance(20_000);
  expect(await requestToken(logins, world.server())).toBe(kept.get("world")?.accessToken);
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
  await clock.advance(50_000);
  await expect(requestToken(logins, world.server())).rejects.toMatchObject({
    code: "MCP_LOGIN_FAILED",
    details: { error: "temporarily_unavailable" },
  });
});

test("two hafts of one store use a refresh token once: the second takes what the first was given", async () => {
  const world = await LoginWorld.open();
  const one = openLogins();
  const clock = createFakeClock(Date.now());
  const other = openLogins({}, one.kept, clock);
  await one.logins.logIn(world.server(), { person: willing() });
  const old = await requestToken(other.logins, world.server());
  world.access.clear();
  const refused = { response: new Response(null, { status: 401 }) };
  const provider = async (logins: typeof one.logins) =>
    (await logins.providers(world.server()))?.provider as {
      onUnauthorized(context: typeof refused): Promise<void>;
    };
  await requestToken(one.logins, world.server());
  await (await provider(one.logins)).onUnauthorized(refused);
  await (await provider(other.logins)).onUnauthorized(refused);
  const [first, second] = [
    await requestToken(one.logins, world.server()),
    await requestToken(other.logins, world.server()),
  ];
  expect(second).toBe(first);
  expect(second).not.toBe(old);
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
});

test("a haft sees that another has made the tokens anew, before it does so itself", async () => {
  const clock = createFakeClock(Date.now());
  const world = await LoginWorld.open({ expiresIn: 90 });
  const one = openLogins({}, new Map(), clock);
  const other = openLogins({}, one.kept, clock);
  await one.logins.logIn(world.server(), { person: willing() });
  await clock.advance(29_500);
  await Promise.all([requestToken(one.logins, world.server()), requestToken(other.logins, world.server())]);
  expect(world.grants()).toEqual(["authorization_code"]);
  await clock.advance(1000);
  const first = await requestToken(one.logins, world.server());
  expect(await requestToken(other.logins, world.server())).toBe(first);
  expect(world.grants()).toEqual(["authorization_code", "refresh_token"]);
});

test("a haft whose refresh token another has just used waits for what that one writes down", async () => {
  const clock = createFakeClock(Date.now());
  const world = await LoginWorld.open({ expiresIn: 30 });
  const { logins, kept } = openLogins({}, new Map(), clock);
  const pauses = countWaits(clock, 250);
  await logins.logIn(world.server(), { person: willing() });
  const login = kept.get("world");
  if (login === undefined) throw new TypeError("There is no login");
  world.refresh.delete(login.refreshToken ?? "");
  const asked = requestToken(logins, world.server());
  await expect.poll(() => world.grants().length).toBe(2);
  await expect.poll(pauses).toBe(1);
  kept.set("world", {
    ...login,
    accessToken: "access-of-the-other",
    refreshToken: "next",
    expiresAt: clock.now() + 3_600_000,
  });
  await clock.advance(250);
  expect(await asked).toBe("access-of-the-other");
});

test("what could not be written down is not lost: the rotated refresh token stays in use", async () => {
  const world = await LoginWorld.open({ expiresIn: 30 });
  const clock = createFakeClock(Date.now());
  const kept = openLogins({}, new Map(), clock);
  await kept.logins.logIn(world.server(), { person: willing() });
  const broken = openLogins(
    {
      store: {
        read: ({ name }) => kept.kept.get(name),
        write: () => Promise.reject(new Error("disk full")),
        remove: () => false,
      },
    },
    kept.kept,
    clock,
  );
  const first = await requestToken(broken.logins, world.server());
  await clock.advance(40_000);
  const second = await requestToken(broken.logins, world.server());
  expect(world.grants()).toEqual(["authorization_code", "refresh_token", "refresh_token"]);
  expect(second).not.toBe(first);
  expect(broken.errors).toHaveLength(2);
});

test("a call that asks for more rights says so, and the next login asks for them beside those there were", async () => {
  const world = await LoginWorld.open({ neededScope: "write" });
  const { logins, kept } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({
    code: "MCP_LOGIN_REQUIRED",
    error: expect.stringContaining('`haft mcp login world --scope "write"`'),
  });
  await logins.logIn(world.server(), { person: willing(), scope: "write" });
  expect(kept.get("world")?.scope).toBe("tools write");
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({ success: true });
});

test("client credentials need nobody: the first call gets a token, and a refused one is replaced", async () => {
  const clock = createFakeClock(Date.now());
  const world = await LoginWorld.open();
  const { logins } = openLogins({}, new Map(), clock);
  const server = world.server({
    type: "client_credentials",
    clientId: "robot",
    clientSecret: "secret:ROBOT",
    issuer: world.as.url,
  });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([server]);
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({ success: true });
  expect(world.grants()).toEqual(["client_credentials"]);
  world.access.clear();
  await clock.advance(5000);
  expect(await mcp.executor.execute("world__who", {})).toMatchObject({ success: true });
  expect(world.grants()).toEqual(["client_credentials", "client_credentials"]);
});

test("a code for a device is shown, and asked after no sooner than the server says", async () => {
  const clock = createFakeClock();
  const world = await LoginWorld.open();
  const { logins } = openLogins({}, new Map(), clock);
  const pauses = countWaits(clock, 5000);
  const shown: unknown[] = [];
  const done = logins.logIn(world.server(), {
    device: true,
    person: { showAuthorization: () => undefined, showCode: (code) => void shown.push(code) },
  });
  await expect.poll(pauses).toBe(1);
  expect(shown).toEqual([
    { userCode: "ABCD-EFGH", url: new URL(`${world.as.url}/type`), expiresAt: clock.now() + 600_000 },
  ]);
  await clock.advance(5000);
  await expect.poll(pauses).toBe(2);
  expect(world.grants()).toHaveLength(1);
  for (const device of world.devices.keys()) world.devices.set(device, "confirmed");
  await clock.advance(4999);
  expect(world.grants()).toHaveLength(1);
  await clock.advance(1);
  expect(await done).toMatchObject({ issuer: world.as.url, renews: true });
});

test("logOut() forgets the login and revokes both tokens where they are from", async () => {
  const world = await LoginWorld.open();
  const { logins, kept } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  expect(await requestToken(logins, world.server())).toBeDefined();
  expect(await logins.logOut(world.server())).toEqual({ revoked: true });
  expect([kept.size, world.access.size, world.refresh.size]).toEqual([0, 0, 0]);
  expect(await requestToken(logins, world.server())).toBeUndefined();
  expect(await logins.logOut(world.server())).toBeUndefined();
});

test("logIn() refuses a server that is a program", async () => {
  const { logins } = openLogins();
  await expect(logins.logIn({ name: "files", command: "npx" })).rejects.toMatchObject({ code: "MCP_CONFIG" });
});

test.for(["/.well-known/oauth-authorization-server", "/register", "/token"])(
  "logIn() ends with the reason of its signal, also while it waits for %s",
  async (path) => {
    const stopped = new McpError("MCP_CANCELLED", "stopped by hand");
    const controller = new AbortController();
    const world = await LoginWorld.open({ at: { [path]: () => controller.abort(stopped) } });
    const { logins, kept } = openLogins();
    const login = logins.logIn(world.server(), { person: willing(), signal: controller.signal });
    await expect(login).rejects.toBe(stopped);
    expect(kept.size).toBe(0);
  },
);
