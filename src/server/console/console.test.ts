import { expect, test, vi } from "vitest";
import { ConsoleWorld, consoleApi } from "../../../test/support/console-world.ts";
import { OwnerPin } from "../../app/index.ts";

test("a link's code is exchanged for a session, which is told of, used and ended", async () => {
  const world = await ConsoleWorld.open();
  const { url, endsAt } = world.console.issueLink();
  expect(endsAt).toBe(world.clock.now() + 60_000);
  const [page, code = ""] = url.split("#");
  expect(page).toBe(`http://${world.host}/console/`);
  const headers = { "user-agent": `Browser ${"x".repeat(300)}` };
  const opened = await world.ask("POST", "/session", { body: { code }, headers });
  const lifeMs = 12 * 3_600_000;
  expect(opened).toMatchObject({
    status: 200,
    body: { token: expect.stringMatching(/^[\w-]{43}$/), endsAt: world.clock.now() + lifeMs },
  });
  const { token, id } = opened.body as { readonly token: string; readonly id: string };
  expect(await world.ask("GET", "/session", { token })).toMatchObject({ status: 200, body: { id } });
  const [session] = world.console.sessions.list();
  expect(session).toMatchObject({ id, browser: expect.stringMatching(/^Browser x{192}$/) });
  expect(JSON.stringify(session)).not.toContain(token);
  expect(await world.ask("DELETE", "/session", { token })).toMatchObject({ body: { ended: true } });
  expect(world.console.sessions.list()).toEqual([]);
});

test("the owner's PIN is asked for where there is one, and a wrong one does not use the code up", async () => {
  const world = await ConsoleWorld.open();
  await new OwnerPin(world.place.home).set("2468");
  const { code } = world.console.sessions.issueCode();
  const exchange = (pin?: unknown) => world.ask("POST", "/session", { body: { code, pin } });
  expect(await exchange()).toMatchObject({ status: 403, body: { code: "PIN_REQUIRED" } });
  expect(await exchange("1357")).toMatchObject({ status: 403, body: { code: "PIN_WRONG" } });
  expect(await exchange(2468)).toMatchObject({ status: 400, body: { code: "CONSOLE_INPUT" } });
  expect(world.console.sessions.list()).toEqual([]);
  expect((await exchange("2468")).status).toBe(200);
  expect((await exchange("2468")).status).toBe(401);
});

test("a guess of a code says nothing of a PIN, and tries none", async () => {
  const world = await ConsoleWorld.open();
  const pin = new OwnerPin(world.place.home);
  await pin.set("2468");
  const guess = await world.ask("POST", "/session", { body: { code: "guess", pin: "1357" } });
  expect(guess).toMatchObject({ status: 401, body: { code: "CONSOLE_LINK" } });
  expect(world.place.home.read("owner-pin.failures")).toBeUndefined();
});

test("files come from memory, compressed as the browser takes them, and kept by it where their names have a hash", async () => {
  const world = await ConsoleWorld.open();
  const get = (path: string, headers = {}) => world.send("GET", path, { headers });
  const page = await get("/console/");
  expect(page).toMatchObject({
    status: 200,
    text: "<!doctype html><title>haft</title>",
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
  for (const path of ["/console", "/console/calls", "/console/calls/c_1", "/console/?x=1"])
    expect((await get(path)).text).toBe(page.text);
  const script = "/console/assets/app-1a2b3c4d.js";
  const plain = await get(script);
  expect(plain).toMatchObject({
    text: "export {};",
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    },
  });
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const encodings = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["zstd", undefined],
  ] as const;
  for (const [accepted, sent] of encodings) {
    const answer = await get(script, { "accept-encoding": accepted });
    expect(answer.headers["content-encoding"]).toBe(sent);
  }
  for (const gone of ["/console/assets/app-0.js", `${script}.br`])
    expect(await get(gone)).toMatchObject({ status: 404, body: { code: "CONSOLE_NOT_FOUND" } });
  const head = await world.send("HEAD", script);
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-length": "10" } });
  expect(await world.send("POST", "/console/", { body: {} })).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
  });
});

test("a console that is not built says what to do, in words where a person reads it", async () => {
  const world = await ConsoleWorld.open("", { files: new Map() });
  const command = expect.stringContaining("npm run build:console");
  const shown = await world.send("GET", "/console/", { headers: { "sec-fetch-dest": "document" } });
  expect(shown).toMatchObject({
    status: 503,
    text: command,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
  expect(await world.send("GET", "/console/")).toMatchObject({
    status: 503,
    body: { error: command, code: "CONSOLE_NOT_BUILT" },
  });
});

test("a long list comes compressed to whoever takes it so", async () => {
  const world = await ConsoleWorld.open();
  for (let at = 0; at < 10; at++) await world.opened.call("glob", { pattern: "*" });
  const token = await world.openSession();
  const plain = await world.ask("GET", "/calls", { token });
  const send = (encoding: string) =>
    fetch(`http://${world.host}${consoleApi}/calls`, {
      headers: { authorization: `Bearer ${token}`, "accept-encoding": encoding },
    });
  const zipped = await send("br, gzip");
  expect([plain.headers["content-encoding"], zipped.headers.get("content-encoding")]).toEqual([
    undefined,
    "gzip",
  ]);
  expect(Number(zipped.headers.get("content-length"))).toBeLessThan(plain.text.length);
  expect(await zipped.json()).toEqual(plain.body);
  expect((await send("br, gzip;q=0")).headers.get("content-encoding")).toBeNull();
});

test("what is no fault of the request is told to the server alone", async () => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  const fault = new Error("secret of the disk");
  vi.spyOn(world.opened.app, "store").mockRejectedValue(fault);
  const answer = await world.ask("GET", "/questions", { token });
  expect(answer).toMatchObject({ status: 500, body: { error: "Internal error" } });
  expect(answer.text).not.toContain("disk");
  expect(world.errors).toEqual([fault]);
});

test("a session is open as long as it is used, and twelve hours at most; its idle time ends it", async () => {
  const world = await ConsoleWorld.open();
  const [used, idle] = [await world.openSession(), await world.openSession()];
  await world.clock.advance(3_599_999);
  expect((await world.ask("GET", "/session", { token: used })).status).toBe(200);
  await world.clock.advance(1);
  expect((await world.ask("GET", "/session", { token: idle })).status).toBe(401);
  expect(world.console.sessions.list()).toHaveLength(1);
  expect(world.console.isIdentified({ headers: { authorization: `Bearer ${used}` } })).toBe(true);
  expect(world.console.isIdentified({ headers: { authorization: `Bearer ${idle}` } })).toBe(false);
});

test("of too many sessions the one that was idle for longest ends, of too many codes the oldest", async () => {
  const world = await ConsoleWorld.open();
  const { sessions } = world.console;
  const open = () => sessions.redeem(sessions.issueCode().code, "")?.token ?? "";
  const first = open();
  await world.clock.advance(1);
  const second = open();
  await world.clock.advance(1);
  expect(sessions.enter(first)).toBeDefined();
  const rest = Array.from({ length: 49 }, open);
  expect(sessions.list()).toHaveLength(50);
  expect([sessions.knows(first), sessions.knows(second), sessions.knows(rest[48] as string)]).toEqual([
    true,
    false,
    true,
  ]);
  const codes = Array.from({ length: 21 }, () => sessions.issueCode().code);
  expect(codes.map((code) => sessions.hasCode(code)).indexOf(true)).toBe(1);
});

test("a closed console leaves no timer and no session", async () => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  await world.console.close();
  expect((await world.ask("GET", "/session", { token })).status).toBe(401);
  expect(world.clock.pending).toBe(0);
});

test("the records' thread starts with the page, once somebody has a link or a session", async () => {
  const world = await ConsoleWorld.open();
  const records = vi.spyOn(world.opened.app, "records");
  await world.send("GET", "/console/calls");
  expect(records).not.toHaveBeenCalled();
  const { code } = world.console.sessions.issueCode();
  await world.send("GET", "/console/assets/app-1a2b3c4d.js");
  expect(records).not.toHaveBeenCalled();
  await world.send("GET", "/console/calls");
  expect(records).toHaveBeenCalledTimes(1);
  await world.ask("POST", "/session", { body: { code } });
  await world.send("GET", "/console/calls");
  expect(records).toHaveBeenCalledTimes(2);
});
