import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { pageHandlers } from "../../src/server/console/pages/index.ts";
import { ConsoleWorld, consoleApi } from "../support/console-world.ts";

/** What an attacker must never read. */
const canary = "canary-in-the-ledger";

/** A console whose ledger has a call with the canary, and a tab that has it open. */
async function openWorld() {
  const world = await ConsoleWorld.open();
  await world.opened.call("glob", { pattern: canary });
  const token = await world.openSession();
  return { world, token };
}

const otherPages: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["of another origin", { origin: "https://attacker.example" }],
  ["of another port of this machine", { origin: "http://127.0.0.1:3000" }],
  ["of localhost, which is another origin", { origin: "http://localhost:PORT" }],
  ["over https at the same name", { origin: "https://127.0.0.1:PORT" }],
  ["with an opaque origin, such as a sandboxed frame", { origin: "null" }],
  ["that a browser calls cross-site", { "sec-fetch-site": "cross-site" }],
  ["that a browser calls same-site", { "sec-fetch-site": "same-site" }],
  ["that was opened as an address of its own", { "sec-fetch-site": "none" }],
];

test.for(otherPages)("a page %s gets nothing, although it has a token", async ([, headers]) => {
  const { world, token } = await openWorld();
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace("PORT", String(world.port))]),
  );
  const refused = await world.ask("GET", "/calls", { token, headers: sent });
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.text).not.toContain(canary);
  const own = {
    origin: `http://${world.host}`,
    "sec-fetch-site": "same-origin",
  };
  expect((await world.ask("GET", "/calls", { token, headers: own })).text).toContain(canary);
});

test.for([
  "attacker.example",
  "attacker.example:PORT",
  "127.0.0.1.nip.io:PORT",
  "localhost:PORT",
  "[::1]:PORT",
  "0.0.0.0:PORT",
  "0:PORT",
  "127.1:PORT",
  "127.0.0.1.:PORT",
  "127.0.0.1",
  "127.0.0.1:1",
  "127.0.0.1:PORT:PORT",
])("a name that leads here is not the console's: Host %s", async (name) => {
  const { world, token } = await openWorld();
  const host = name.replaceAll("PORT", String(world.port));
  for (const path of [`${consoleApi}/calls`, "/console/"]) {
    const refused = await world.send("GET", path, { token, headers: { host } });
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain(canary);
  }
});

test("no page can show the console in a frame, run a script of its own in it, or open it from elsewhere", async () => {
  const { world, token } = await openWorld();
  const answers = [
    await world.send("GET", "/console/"),
    await world.send("GET", "/console/assets/app-1a2b3c4d.js"),
    await world.ask("GET", "/calls", { token }),
    await world.ask("GET", "/calls"),
    await world.ask("GET", "/nothing", { token }),
    await world.send("GET", "/console/..%2fx"),
    await world.send("GET", "/console/", { headers: { origin: `https://${world.host}` } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 404, 400, 403]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["set-cookie"]).toBeUndefined();
  }
  const led = await world.send("GET", "/console/", { headers: { "sec-fetch-site": "cross-site" } });
  expect(led.status).toBe(403);
  const typed = await world.send("GET", "/console/", { headers: { "sec-fetch-site": "none" } });
  expect(typed.status).toBe(200);
});

test.for(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
  "a form of another page acts on nothing: Content-Type %j",
  async (type) => {
    const { world, token } = await openWorld();
    const headers = { "content-type": type };
    const acted = await world.ask("POST", "/verify", { token, headers, body: '{"all":true}' });
    expect(acted).toMatchObject({ status: 415, body: { code: "CONSOLE_TYPE" } });
    const { code } = world.console.sessions.issueCode();
    const exchanged = await world.ask("POST", "/session", { headers, body: JSON.stringify({ code }) });
    expect(exchanged).toMatchObject({ status: 415 });
    expect(world.console.sessions.list()).toHaveLength(1);
  },
);

test("an offer of WebSocket opens nothing", async () => {
  const { world, token } = await openWorld();
  const headers = {
    authorization: `Bearer ${token}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-version": "13",
  };
  const outcome = await new Promise((resolve) => {
    const path = `${consoleApi}/session`;
    const request = httpRequest({ host: "127.0.0.1", port: world.port, path, headers, agent: false });
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve("upgraded");
    });
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.end();
  });
  expect(outcome).toBe(200);
});

test("a link's code opens one session: not twice, not for two tabs at once, not after a minute", async () => {
  const { world } = await openWorld();
  const { sessions } = world.console;
  const exchange = (code: string) => world.ask("POST", "/session", { body: { code } });
  const { code: twice } = sessions.issueCode();
  expect((await exchange(twice)).status).toBe(200);
  expect(await exchange(twice)).toMatchObject({ status: 401, body: { code: "CONSOLE_LINK" } });
  const { code: raced } = sessions.issueCode();
  const tabs = await Promise.all([exchange(raced), exchange(raced), exchange(raced)]);
  expect(tabs.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401, 401]);
  const { code: late } = sessions.issueCode();
  await world.clock.advance(60_000);
  expect(await exchange(late)).toMatchObject({ status: 401, body: { code: "CONSOLE_LINK" } });
  const { code: inTime } = sessions.issueCode();
  await world.clock.advance(59_999);
  expect((await exchange(inTime)).status).toBe(200);
});

test("tokens of other doors and of other installations open nothing here", async () => {
  const { world, token } = await openWorld();
  const other = await ConsoleWorld.open();
  const { home } = world.place;
  const { code } = world.console.sessions.issueCode();
  const strange = [
    home.token(),
    home.ownerToken(),
    home.stateKey(),
    home.bridgeKey(),
    await other.openSession(),
    code,
    world.console.sessions.list()[0]?.id,
    `${token}x`,
    token.slice(0, -1),
    "",
  ];
  for (const shown of strange) {
    const refused = await world.ask("GET", "/calls", { token: shown });
    expect(refused).toMatchObject({ status: 401, body: { code: "CONSOLE_SESSION" } });
    expect(refused.text).not.toContain(canary);
  }
  for (const shown of [home.token(), home.ownerToken(), token]) {
    const refused = await world.ask("POST", "/session", { body: { code: shown } });
    expect(refused).toMatchObject({ status: 401, body: { code: "CONSOLE_LINK" } });
  }
});

test("a token in a query, a cookie or a body is none", async () => {
  const { world, token } = await openWorld();
  const tries = [
    world.ask("GET", `/calls?token=${token}`),
    world.ask("GET", `/calls?access_token=${token}`),
    world.ask("GET", "/calls", { headers: { cookie: `haft-session=${token}` } }),
    world.ask("POST", "/verify", { body: { token } }),
    world.ask("GET", "/calls", { headers: { authorization: `Basic ${btoa(`x:${token}`)}` } }),
  ];
  expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
});

test("guesses are slowed down, whatever address they claim, and keep nobody out who has a session", async () => {
  const { world, token } = await openWorld();
  const statuses: number[] = [];
  for (let guess = 0; guess < 40; guess++) {
    const headers = {
      "x-forwarded-for": `10.0.${guess}.1`,
      forwarded: `for=10.0.${guess}.1`,
      "x-real-ip": `::ffff:10.0.${guess}.1`,
      "user-agent": `browser ${guess}`,
    };
    const refused =
      guess % 2 === 0
        ? await world.ask("GET", "/calls", { token: `cs_${guess}`, headers })
        : await world.ask("POST", "/session", { headers, body: { code: `guess-${guess}` } });
    statuses.push(refused.status);
  }
  expect(statuses.slice(0, 30).every((status) => status === 401)).toBe(true);
  expect(statuses.slice(30).every((status) => status === 429)).toBe(true);
  expect((await world.ask("GET", "/calls", { token })).status).toBe(200);
  const { code } = world.console.sessions.issueCode();
  expect((await world.ask("POST", "/session", { body: { code } })).status).toBe(200);
  await world.clock.advance(60_000);
  expect((await world.ask("GET", "/calls", { token: "guess" })).status).toBe(401);
});

/** Every route that there is, with its names filled in. */
const routes = [...Object.keys(pageHandlers), "GET /session", "DELETE /session", "GET /stream"].map((key) => {
  const [method = "", path = ""] = key.split(" ");
  return [key, method, path.replaceAll(/:\w+/g, "x_1")] as const;
});

test.for(routes)("%s answers nobody without a session that is open", async ([, method, path]) => {
  const world = await ConsoleWorld.open();
  const body = method === "POST" ? {} : undefined;
  const [revoked, idle] = [await world.openSession(), await world.openSession()];
  expect((await world.ask("DELETE", "/session", { token: revoked })).status).toBe(200);
  for (const token of [undefined, "x", revoked])
    expect(await world.ask(method, path, { token, body })).toMatchObject({
      status: 401,
      body: { code: "CONSOLE_SESSION" },
    });
  await world.clock.advance(3_600_000);
  expect((await world.ask(method, path, { token: idle, body })).status).toBe(401);
  const old = await world.openSession();
  for (let half = 0; half < 24; half++) {
    expect((await world.ask("GET", "/session", { token: old })).status).toBe(200);
    await world.clock.advance(1_800_000);
  }
  expect((await world.ask(method, path, { token: old, body })).status).toBe(401);
  expect(world.console.sessions.list()).toEqual([]);
});

test.for([
  ["a prototype", '{"__proto__":{"all":true}}'],
  ["a constructor", '{"all":false,"constructor":{"prototype":{"x":1}}}'],
  ["a prototype further in", '{"all":{"__proto__":{"polluted":1}}}'],
  ["thousands of levels", `${"[".repeat(5000)}${"]".repeat(5000)}`],
  ["a list", "[]"],
  ["null", "null"],
  ["a text", '"text"'],
  ["nothing", ""],
  ["half an object", "{"],
] as const)("a body that means something else to a program is refused: %s", async ([, body]) => {
  const { world, token } = await openWorld();
  const refused = await world.ask("POST", "/verify", { token, body });
  expect(refused).toMatchObject({ status: 400, body: { code: "CONSOLE_INPUT" } });
  expect(Object.prototype).not.toHaveProperty("polluted");
});

test("a body with a prototype opens no session, though it has a good code", async () => {
  const { world } = await openWorld();
  const { code } = world.console.sessions.issueCode();
  const body = `{"code":"${code}","__proto__":{"pin":"1"}}`;
  expect(await world.ask("POST", "/session", { body })).toMatchObject({ status: 400 });
  expect((await world.ask("POST", "/session", { body: { code } })).status).toBe(200);
});

test("a body of one long line is refused before it is read, and the console lives on", async () => {
  const { world, token } = await openWorld();
  const long = JSON.stringify({ all: "x".repeat(10_000_000) });
  const refused = await world.ask("POST", "/verify", { token, body: long }).catch(() => "hung up");
  expect([413, "hung up"]).toContain(typeof refused === "string" ? refused : refused.status);
  expect((await world.ask("GET", "/calls", { token })).status).toBe(200);
  // Without a session nothing of it is read at all.
  const stranger = await world.ask("POST", "/verify", { body: long }).catch(() => "hung up");
  expect([401, "hung up"]).toContain(typeof stranger === "string" ? stranger : stranger.status);
});

test.for([
  "/console/..%2f..%2fetc/passwd",
  "/console/%2e%2e/%2e%2e/etc/passwd",
  "/console/../approvals",
  "/console/./index.html",
  "/console/%5c..%5cindex.html",
  "/console/..\\..\\x",
  "/console//index.html",
  "/console/assets//app-1a2b3c4d.js",
  "/console/%00",
  "/console/%zz",
  "/console/%ff",
  "/console/a b",
  "/console/api/v1/calls/%2e%2e/now",
  "/console/api/v1/calls%2fnow",
  "/console/api/v1//calls",
  "/console/api/v1/calls/",
  "/console/api/v1/../v1/calls",
  "/console/api%2fv1/calls",
])("a path that can be read in two ways is refused: %s", async (path) => {
  const { world, token } = await openWorld();
  const [refused] = await Promise.allSettled([world.send("GET", path, { token })]);
  // The client itself does not send a space.
  const status = refused.status === "fulfilled" ? refused.value.status : 400;
  expect([400, 404]).toContain(status);
  if (refused.status === "fulfilled") expect(refused.value.text).not.toContain(canary);
});

test("what is decoded once is not decoded again", async () => {
  const { world, token } = await openWorld();
  const refused = await world.ask("GET", "/calls/%252e%252e%252fnow", { token });
  expect(refused).toMatchObject({ status: 404, body: { error: expect.stringContaining("%2e%2e%2fnow") } });
});

test("methods that no route has are refused, also under another name", async () => {
  const { world, token } = await openWorld();
  for (const method of ["PUT", "PATCH", "OPTIONS", "TRACE", "HEAD", "DELETE"])
    expect((await world.ask(method, "/calls", { token })).status).toBe(405);
  const renamed = { "x-http-method-override": "GET", "x-http-method": "GET" };
  expect((await world.ask("POST", "/calls", { token, headers: renamed, body: {} })).status).toBe(405);
  const preflight = await world.ask("OPTIONS", "/calls", {
    headers: { origin: "https://attacker.example", "access-control-request-method": "GET" },
  });
  expect(preflight.status).toBe(403);
});
