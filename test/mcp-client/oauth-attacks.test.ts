import { inspect } from "node:util";
import { expect, test, vi } from "vitest";
import { createFakeClock } from "../../src/testing/index.ts";
import { LoginWorld, openLogins, requestToken, send, type Twists, willing } from "../support/login-world.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { openMcp } from "../support/mcp-servers.ts";

/** Logs in, and gives the error that has to come of it. */
async function failToLogIn(
  world: LoginWorld,
  { logins, kept } = openLogins(),
  server: Parameters<typeof logins.logIn>[0] = world.server(),
): Promise<Error & { code: string }> {
  const person = willing();
  const error = await logins.logIn(server, { person }).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code: string },
  );
  if (error === undefined) throw new TypeError("The login went well");
  expect(error.code).toBe("MCP_LOGIN_FAILED");
  expect(kept.size).toBe(0);
  return Object.assign(error, { shown: person.shown });
}

/** A server that nothing may be sent to. */
async function bystander() {
  const visits: string[] = [];
  const server = await listenOnLoopback((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    send(response, 200, {});
  });
  return { ...server, visits };
}

test.for([
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:text/html,<script>1</script>",
  "ms-msdt:/id+PCWDiagnostic",
  "http://auth.example.com/authorize",
  "https://user:password@127.0.0.1/authorize",
  "$(open -a Calculator)",
])("an authorization endpoint %s is shown to nobody", async (endpoint) => {
  const world = await LoginWorld.open({
    metadata: (honest) => ({ ...honest, authorization_endpoint: endpoint }),
  });
  expect(await failToLogIn(world)).toMatchObject({ shown: [] });
  expect(world.of("/register")).toEqual([]);
});

test.for([
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
])(
  "a %s at another place than the authorization server is refused before anything is sent",
  async (field) => {
    const other = await bystander();
    const world = await LoginWorld.open({ metadata: (honest) => ({ ...honest, [field]: `${other.url}/x` }) });
    const error = await failToLogIn(world);
    expect(error).toMatchObject({ shown: [] });
    expect(error.message).toContain(`add "${other.host}" to its "auth" as "hosts"`);
    expect(other.visits).toEqual([]);
  },
);

test.for<readonly [address: string, why: string]>([
  ["http://10.0.0.1", "use an https:// address"],
  ["https://10.0.0.1", "no public address"],
  ["https://169.254.169.254/latest", "no public address"],
  ["https://[::ffff:127.0.0.1]:1", "no public address"],
  ["https://metadata.google.internal", "no public address"],
  ["ftp://127.0.0.1", "can't be read|can't be used|use an https"],
])("an authorization server %s is not asked, whatever the server says", async ([address, why]) => {
  const world = await LoginWorld.open({
    resourceMetadata: (honest) => ({ ...honest, authorization_servers: [address] }),
  });
  expect((await failToLogIn(world)).message).toMatch(new RegExp(why));
});

test("another port of this machine is no authorization server, unless its owner says so", async () => {
  const other = await bystander();
  const world = await LoginWorld.open({
    resourceMetadata: (honest) => ({ ...honest, authorization_servers: [other.url] }),
  });
  expect((await failToLogIn(world)).message).toContain("no public address");
  expect(other.visits).toEqual([]);
});

test("an issuer that the configuration does not have is refused", async () => {
  const world = await LoginWorld.open();
  const opened = openLogins();
  const error = await failToLogIn(world, opened, world.server({ issuer: "https://auth.example.com" }));
  expect(error.message).toContain('your configuration has the issuer "https://auth.example.com"');
  expect(world.seen.filter(({ at }) => at === "as")).toEqual([]);
});

test.for<[string, Twists, string]>([
  [
    "metadata of another issuer",
    { metadata: (honest) => ({ ...honest, issuer: "https://good.example.com" }) },
    "says that it is another one",
  ],
  [
    "the name of another server",
    { resourceMetadata: (honest) => ({ ...honest, resource: "https://good.example.com/mcp" }) },
    "says that it is another server",
  ],
  [
    "a longer path of its own",
    { resourceMetadata: (honest) => ({ ...honest, resource: `${String(honest["resource"])}/more` }) },
    "says that it is another server",
  ],
  [
    "a description at another place",
    { challenge: () => 'Bearer resource_metadata="https://evil.example.com/x"' },
    "at another place",
  ],
  [
    "no PKCE",
    { metadata: ({ code_challenge_methods_supported: _none, ...honest }) => honest },
    "PKCE with S256",
  ],
  [
    "PKCE without a hash",
    { metadata: (honest) => ({ ...honest, code_challenge_methods_supported: ["plain"] }) },
    "PKCE with S256",
  ],
  ["a token of another kind", { tokenFields: { token_type: "DPoP" } }, "a kind that haft can't use"],
  ["a token with a line break", { tokenFields: { access_token: "good\r\nX-Evil: 1" } }, "fits in no header"],
  ["no token", { tokenFields: { access_token: undefined } }, "can't be used"],
])("%s is refused", async ([, twists, why]) => {
  expect((await failToLogIn(await LoginWorld.open(twists))).message).toContain(why);
});

test("a token request is not sent on to another place", async () => {
  const other = await bystander();
  const world = await LoginWorld.open({
    token: (_form, response) => void response.writeHead(307, { location: `${other.url}/token` }).end(),
  });
  await failToLogIn(world);
  expect(other.visits).toEqual([]);
});

test("redirects without an end come to an end", async () => {
  let count = 0;
  const path = "/.well-known/oauth-authorization-server";
  const world = await LoginWorld.open({
    at: {
      [path]: (_request, response) => void response.writeHead(302, { location: `${path}?${++count}` }).end(),
    },
  });
  await failToLogIn(world);
  expect(count).toBeLessThan(50);
});

test("an answer without an end is read no further than 256 KiB", async () => {
  const world = await LoginWorld.open({
    at: {
      "/.well-known/oauth-authorization-server": (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => {
          while (!response.destroyed && response.write(" ".repeat(16_384)));
        };
        response.on("drain", more);
        more();
      },
    },
  });
  expect((await failToLogIn(world)).message).toContain("an answer is over");
});

test("an answer that drips has no longer than half a minute", async () => {
  const clock = createFakeClock();
  const world = await LoginWorld.open({
    at: {
      "/.well-known/oauth-authorization-server": (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write("{");
      },
    },
  });
  const failed = failToLogIn(world, openLogins({}, new Map(), clock));
  await expect.poll(() => world.of("/.well-known/oauth-authorization-server").length).toBe(1);
  await expect.poll(() => clock.pending).toBe(1);
  await clock.advance(30_000);
  expect((await failed).message).toContain("gave no answer within 30 s");
});

test("a visit without the state of this login is turned away, and the login goes on", async () => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  const statuses: number[] = [];
  await logins.logIn(world.server(), {
    person: {
      async showAuthorization({ url, redirectUri }) {
        const back = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
        const visit = async (address: string, init = {}) =>
          statuses.push((await fetch(address, init)).status);
        await visit(`${redirectUri}?code=stolen&iss=${encodeURIComponent(world.as.url)}`);
        await visit(`${redirectUri}?code=stolen&state=guessed`);
        await visit(`${back}&state=twice`);
        await visit(`${new URL(redirectUri).origin}/?${back.split("?")[1]}`);
        await visit(back, { method: "POST" });
        await visit(back, { headers: { origin: "https://evil.example.com" } });
        await visit(back);
      },
      showCode: () => undefined,
    },
  });
  expect(statuses).toEqual([400, 400, 400, 404, 404, 403, 200]);
  expect(world.grants()).toHaveLength(1);
});

test.for<readonly [text: string, why: string]>([
  ["https://evil.example.com/?code=x", "does not begin with"],
  ["REDIRECT?code=x&state=of-another", "is of another login"],
  ["not an address", "does not begin with"],
])("a pasted %s is refused", async ([text, why]) => {
  const world = await LoginWorld.open();
  const { logins } = openLogins();
  let redirect = "";
  const login = logins.logIn(world.server(), {
    person: {
      showAuthorization: ({ redirectUri }) => {
        redirect = redirectUri;
      },
      paste: async () => text.replace("REDIRECT", redirect),
      showCode: () => undefined,
    },
  });
  await expect(login).rejects.toThrow(why);
  expect(world.grants()).toEqual([]);
});

test("a code of somebody else, put in with the right state, opens nothing", async () => {
  const world: LoginWorld = await LoginWorld.open({
    back: (honest) => {
      honest.searchParams.set("code", strangers);
      return honest;
    },
  });
  // A stranger's own login at the same authorization server, with another verifier.
  const query = `redirect_uri=${encodeURIComponent("http://127.0.0.1:1/x")}&code_challenge=${"a".repeat(43)}`;
  let strangers = "";
  await fetch(`${world.as.url}/authorize?${query}`, { redirect: "manual" });
  strangers = [...world.secrets].find((secret) => secret.startsWith("code-")) ?? "";
  expect((await failToLogIn(world)).message).toContain("refused it (invalid_grant)");
});

test.for([
  ["another issuer", (honest: URL) => honest.searchParams.set("iss", "https://good.example.com")],
  ["the issuer twice", (honest: URL) => honest.searchParams.append("iss", "https://good.example.com")],
  ["no issuer, though it says it names itself", (honest: URL) => honest.searchParams.delete("iss")],
] as const)("an answer with %s is a mix-up: the code goes nowhere", async ([, change]) => {
  const world = await LoginWorld.open({
    back: (honest) => {
      change(honest);
      return honest;
    },
  });
  expect((await failToLogIn(world)).message).toContain("mix-up of two servers");
  expect(world.grants()).toEqual([]);
});

test.for(["in its description", "as the error itself", "in a page"])(
  "an authorization server that says back %s what it was sent is not repeated",
  async (where) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const sent = new Set<string>();
    const world = await LoginWorld.open({
      token: (form, response) => {
        const secrets = [form.get("code") ?? "", form.get("code_verifier") ?? ""];
        for (const secret of secrets) sent.add(secret);
        const all = secrets.join(" ");
        if (where === "in a page") response.writeHead(500, { "content-type": "text/html" }).end(`<p>${all}`);
        else if (where === "as the error itself") send(response, 400, { error: all });
        else send(response, 400, { error: "invalid_grant", error_description: all });
      },
    });
    const error = await failToLogIn(world);
    expect(sent.size).toBe(2);
    const told = `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(warn.mock.calls)}`;
    for (const secret of sent) expect(told).not.toContain(secret);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  },
);

test("a token that a refresh refuses is in no result", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const world: LoginWorld = await LoginWorld.open({
    token: (form, response) => {
      if (form.get("grant_type") === "refresh_token")
        return send(response, 400, {
          error: "invalid_grant",
          error_description: `no ${form.get("refresh_token")}`,
        });
      const access = world.make("access");
      world.access.set(access, "tools");
      return send(response, 200, {
        access_token: access,
        refresh_token: world.make("refresh"),
        token_type: "bearer",
      });
    },
  });
  const { logins } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  await using mcp = openMcp({ auth: logins.providers });
  await mcp.connections.connectAll([world.server()]);
  world.access.clear();
  const told = JSON.stringify([
    await mcp.executor.execute("world__who", {}),
    mcp.connections.health(),
    warn.mock.calls,
  ]);
  expect(told).toContain("MCP_LOGIN_REQUIRED");
  for (const secret of world.secrets) expect(told).not.toContain(secret);
  warn.mockRestore();
});

test("a login is for one address: another address of the same name gets no token", async () => {
  const [world, other] = [await LoginWorld.open(), await LoginWorld.open()];
  const { logins } = openLogins();
  await logins.logIn(world.server(), { person: willing() });
  expect(await requestToken(logins, world.server())).toBeDefined();
  expect(await requestToken(logins, { ...world.server(), url: other.url })).toBeUndefined();
});

test("a client's own secret goes to no authorization server that only the server names", async () => {
  const world = await LoginWorld.open();
  const auth = { type: "client_credentials", clientId: "robot", clientSecret: "secret:ROBOT" } as const;
  const error = await failToLogIn(world, openLogins(), world.server(auth));
  expect(error.message).toContain(`add "issuer": "${world.as.url}"`);
  expect(world.grants()).toEqual([]);
});

test("what a server asks for is in no command that a shell could misread", async () => {
  const world = await LoginWorld.open({ challenge: () => 'Bearer scope="x`touch${IFS}/tmp/owned`;$(id)"' });
  await using mcp = openMcp({ auth: openLogins().logins.providers });
  await mcp.connections.connectAll([world.server()]);
  const { reason } = mcp.connections.health()[0] ?? {};
  expect(reason).toMatch(/run `haft mcp login world`$/);
});
