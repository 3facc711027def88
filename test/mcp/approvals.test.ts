import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/index.ts";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../src/kernel/index.ts";
import { type HttpAnswer, serveHttp } from "./support/http.ts";
import { connectLines, initialize, modernMeta, type RpcAnswer, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { harmless } from "./support/tools.ts";

const forms = { elicitation: {} };
const accept = (decision: string) => ({ action: "accept", content: { decision } });
const yes = accept("allow once");
const tokens = new Map([
  ["ada-s-token", "ada"],
  ["eve-s-token", "eve"],
]);

interface Overrides {
  readonly stateKey?: string;
  readonly parkedMs?: number;
  readonly storeIsLateBy?: number;
  readonly serverIsLateBy?: number;
}

function laterBy(ms = 0): Clock {
  return { ...systemClock, now: () => Date.now() + ms };
}

/** One installation: what is kept between the processes that serve it, and what its tool has done. */
class Installation {
  readonly removed: string[] = [];
  readonly #stateKey = randomBytes(32).toString("base64url");
  readonly #folder = mkdtempSync(join(tmpdir(), "haft-approvals-"));
  #database = "haft.db";
  #stop: () => Promise<void> = async () => {};

  constructor() {
    onTestFinished(() => rmSync(this.#folder, { recursive: true }));
  }

  loseStore(): void {
    this.#database = "another.db";
  }

  /** Ends the process that serves it, and starts another. */
  async restart(overrides: Overrides = {}) {
    await this.#stop();
    return this.start(overrides);
  }

  /** A process that serves it. */
  async start({ storeIsLateBy, serverIsLateBy, ...options }: Overrides = {}) {
    const store = await openStore({
      path: join(this.#folder, this.#database),
      clock: laterBy(storeIsLateBy),
    });
    const { approvals, grants } = store;
    const made = startServer([this.#tool(), this.#lock()], {
      executor: { approvals, grants, howToAllow: (_tool, _verdict, id) => `it is kept as ${id}` },
      server: { approvals, stateKey: this.#stateKey, clock: laterBy(serverIsLateBy), ...options },
    });
    const stop = async () => {
      made.server.close();
      await store.close();
    };
    this.#stop = stop;
    onTestFinished(stop);
    const http = await serveHttp(made.server, { token: tokens });
    const send = (who: "ada" | "eve", params: object, capabilities: object = forms) =>
      http.send("POST", request(1, "tools/call", { ...params, _meta: modernMeta(capabilities) }), {
        authorization: `Bearer ${who}-s-token`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": String((params as { readonly name?: unknown }).name),
      });
    return { ...made, store, send };
  }

  /** A tool whose code nobody is shown. */
  #lock(): Tool {
    return defineTool({
      name: "lock",
      description: "Lock a door.",
      parameters: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
      secretParams: ["code"],
      effects: () => [{ kind: "write", target: "/door", within: false }],
      execute: () => {
        this.removed.push("/door");
        return "locked";
      },
    });
  }

  #tool(): Tool {
    return defineTool({
      name: "remove",
      description: "Remove a file, or note that it would.",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      effects: ({ path }) => [{ kind: "delete", target: path, within: true }],
      execute: ({ path }) => {
        this.removed.push(path);
        return `removed ${path}`;
      },
    });
  }
}

const remove = (path: string) => ({ name: "remove", arguments: { path } });

interface Asked {
  readonly requestState: string;
  readonly name: string;
}

function askedIn({ messages: [message] }: HttpAnswer): Asked {
  const { resultType, requestState, inputRequests } = message?.result ?? {};
  expect(resultType).toBe("input_required");
  return { requestState: requestState as string, name: Object.keys(inputRequests as object)[0] as string };
}

const retry = (path: string, { requestState, name }: Asked, answer: object = yes) => ({
  ...remove(path),
  requestState,
  inputResponses: { [name]: answer },
});

function readText({ messages: [message] }: HttpAnswer): unknown {
  return (message?.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
}

function findRefusal({ messages: [message] }: HttpAnswer): string | undefined {
  expect(message?.error?.code).toBe(-32602);
  return message?.error?.message;
}

test("who answers is whom the token names, whatever the client calls itself", async () => {
  const home = new Installation();
  const { send, store } = await home.start();
  const asked = askedIn(await send("ada", remove("/a")));
  expect(readText(await send("ada", retry("/a", asked)))).toBe("removed /a");
  expect(await store.approvals.list()).toMatchObject([
    { approvers: ["owner:*", "mcp:ada"], answer: { approved: true, by: "mcp:ada" }, state: "used" },
  ]);
});

test("a restart between question and answer loses nothing: the answer counts, and the call runs once", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart();
  expect(readText(await after.send("ada", retry("/a", asked)))).toBe("removed /a");
  expect(home.removed).toEqual(["/a"]);
  expect(await after.store.approvals.list()).toMatchObject([
    { answer: { approved: true, by: "mcp:ada" }, state: "used" },
  ]);
});

test("after a restart a no is a no, and nothing is asked again", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart();
  const refused = await after.send("ada", retry("/a", asked, { action: "decline" }));
  expect(refused.messages[0]?.result).toMatchObject({
    resultType: "complete",
    isError: true,
    content: [
      {
        type: "text",
        text: 'Permission denied: "remove" asks to delete /a, and mcp:ada said no (declined) [TOOL_PERMISSION]',
      },
    ],
    _meta: { "haft/call": { code: "TOOL_PERMISSION" } },
  });
  expect(home.removed).toEqual([]);
  expect(await after.store.approvals.list()).toMatchObject([{ answer: { approved: false, by: "mcp:ada" } }]);
});

test.for([
  accept("sure"),
  accept("allow always: anything"),
  { action: "accept" },
  { action: "accept", content: { decision: ["allow once"] } },
])("after a restart %j is not a clear yes, and so a no", async (answer) => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const refused = await (await home.restart()).send("ada", retry("/a", asked, answer));
  expect(readText(refused)).toMatch(/mcp:ada said no \(gave an answer that the form does not have\)/);
  expect(home.removed).toEqual([]);
});

test("after a restart a handle is good once: replayed it is refused, there and in the next process", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const second = await home.restart();
  await second.send("ada", retry("/a", asked));
  expect(findRefusal(await second.send("ada", retry("/a", asked)))).toMatch(/has expired or was used/);
  const third = await home.restart();
  expect(findRefusal(await third.send("ada", retry("/a", asked)))).toMatch(
    /^Cannot go on with the call: its question was answered already; make the call again without its requestState$/,
  );
  expect(home.removed).toEqual(["/a"]);
});

test("a handle that was used is refused in the process that began the call too", async () => {
  const home = new Installation();
  const { send } = await home.start();
  const asked = askedIn(await send("ada", remove("/a")));
  await send("ada", retry("/a", asked));
  expect(findRefusal(await send("ada", retry("/a", asked)))).toMatch(/has expired or was used/);
  expect(home.removed).toEqual(["/a"]);
});

test("an answer that comes twice at once after a restart runs the call once", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const processes = [await home.restart(), await home.start()];
  const answers = await Promise.all(
    [...processes, ...processes].map(({ send }) => send("ada", retry("/a", asked))),
  );
  expect(answers.filter((answer) => readText(answer) === "removed /a")).toHaveLength(1);
  expect(answers.filter(({ messages: [message] }) => message?.error !== undefined)).toHaveLength(3);
  expect(home.removed).toEqual(["/a"]);
});

test("after a restart another person's answer is refused, and the right one's still counts", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart();
  expect(findRefusal(await after.send("eve", retry("/a", asked)))).toMatch(/has expired or was used/);
  expect(await after.store.approvals.list()).toMatchObject([{ state: "pending" }]);
  expect(readText(await after.send("ada", retry("/a", asked)))).toBe("removed /a");
});

test("after a restart the answer is for the same arguments alone", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart();
  expect(findRefusal(await after.send("ada", retry("/etc/passwd", asked)))).toMatch(
    /arguments are not those/,
  );
  expect(await after.store.approvals.list()).toMatchObject([{ state: "pending" }]);
  expect(readText(await after.send("ada", retry("/a", asked)))).toBe("removed /a");
  expect(home.removed).toEqual(["/a"]);
});

test.for([
  { what: "altered", change: (state: string) => `${state.slice(0, -1)}${state.endsWith("A") ? "B" : "A"}` },
  {
    what: "given another body",
    change(state: string) {
      const [body = "", signature = ""] = state.split(".");
      const content = JSON.parse(Buffer.from(body, "base64url").toString()) as { expiresAt: number };
      content.expiresAt += 1;
      return `${Buffer.from(JSON.stringify(content)).toString("base64url")}.${signature}`;
    },
  },
])("after a restart a handle that was $what is refused", async ({ change }) => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart();
  const bad = { ...asked, requestState: change(asked.requestState) };
  expect(findRefusal(await after.send("ada", retry("/a", bad)))).toMatch(/not one that this server gave out/);
  expect(await after.store.approvals.list()).toMatchObject([{ state: "pending" }]);
});

test("a handle of an installation with another key is refused", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const other = await home.restart({ stateKey: "k".repeat(43) });
  expect(findRefusal(await other.send("ada", retry("/a", asked)))).toMatch(
    /not one that this server gave out/,
  );
});

test("createMcpServer() refuses a key that is too short to be one", () => {
  expect(() => startServer([], { server: { stateKey: "short" } })).toThrow(/32 bytes or more/);
});

test.for([
  {
    what: "question",
    late: { storeIsLateBy: 3_600_001 },
    says: /: its question expired; make the call again without its requestState$/,
  },
  { what: "handle", late: { serverIsLateBy: 3_600_001 }, says: /has expired or was used/ },
])("an answer that comes after the $what has expired is refused", async ({ late, says }) => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const after = await home.restart(late);
  expect(findRefusal(await after.send("ada", retry("/a", asked)))).toMatch(says);
  expect(home.removed).toEqual([]);
});

test("an answer to a question that is not in the store is refused", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  home.loseStore();
  const after = await home.restart();
  expect(findRefusal(await after.send("ada", retry("/a", asked)))).toMatch(/its question is not kept here/);
  expect(home.removed).toEqual([]);
});

test("after a restart an answer of the wrong form is refused, and the handle still good", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const { send } = await home.restart();
  expect(findRefusal(await send("ada", retry("/a", asked, { action: "maybe" })))).toMatch(/must be accept/);
  expect(readText(await send("ada", retry("/a", asked)))).toBe("removed /a");
});

test("after a restart a retry without an answer is asked the same question again", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const { send, store } = await home.restart();
  const again = askedIn(await send("ada", { ...remove("/a"), requestState: asked.requestState }));
  expect(again.requestState).not.toBe(asked.requestState);
  expect(readText(await send("ada", retry("/a", again)))).toBe("removed /a");
  expect(await store.approvals.list()).toHaveLength(1);
});

test("after a restart a yes is remembered as it was offered", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", remove("/a")));
  const { send } = await home.restart();
  await send("ada", retry("/a", asked, accept("allow always: exactly this call")));
  expect(readText(await send("ada", remove("/a")))).toBe("removed /a");
  askedIn(await send("ada", remove("/b")));
});

const lock = { name: "lock", arguments: { code: "4711-0815" } };
const retryLock = ({ requestState, name }: Asked, answer: object = yes) => ({
  ...lock,
  requestState,
  inputResponses: { [name]: answer },
});

test("after a restart a yes to a call with secret arguments is refused at once: no other call could use it", async () => {
  const home = new Installation();
  const asked = askedIn(await (await home.start()).send("ada", lock));
  const { send, store } = await home.restart();
  expect(findRefusal(await send("ada", retryLock(asked)))).toBe(
    "Cannot go on with the call: its arguments hold secrets, so that only the call that asked could use the answer, and it is gone; make the call again without its requestState",
  );
  // Expired, where its process still got to say that nobody waits any more.
  const state = expect.stringMatching(/^(pending|expired)$/);
  expect(await store.approvals.list()).toMatchObject([{ answer: undefined, state, reusable: false }]);
  const again = askedIn(await send("ada", lock));
  expect(readText(await send("ada", retryLock(again)))).toBe("locked");
  expect(home.removed).toEqual(["/door"]);
});

test("a no to a call with secret arguments is a no, also where the call was given up", async () => {
  const home = new Installation();
  const { send, store, events } = await home.start({ parkedMs: 1 });
  const asked = askedIn(await send("ada", lock));
  await expect.poll(() => events.at(-1)?.type).toBe("tool.failed");
  expect(await store.approvals.list()).toMatchObject([{ state: "expired" }]);
  expect(readText(await send("ada", retryLock(asked, { action: "decline" })))).toMatch(/mcp:ada said no/);
});

test("a yes that one client's person gave is not used by the same call of another client", async () => {
  const home = new Installation();
  const { send, store, events } = await home.start({ parkedMs: 1 });
  askedIn(await send("ada", remove("/a")));
  await expect.poll(() => events.at(-1)?.type).toBe("tool.failed");
  const [kept] = await store.approvals.list();
  await store.approvals.answer(kept?.id as string, { approved: true, by: "mcp:ada" });
  askedIn(await send("eve", remove("/a")));
  expect(home.removed).toEqual([]);
  expect(readText(await send("ada", remove("/a")))).toBe("removed /a");
});

test("an answer counts although its call was given up in the meantime", async () => {
  const home = new Installation();
  const { send, events } = await home.start({ parkedMs: 1 });
  const asked = askedIn(await send("ada", remove("/a")));
  await expect.poll(() => events.at(-1)?.type).toBe("tool.failed");
  expect(readText(await send("ada", retry("/a", asked)))).toBe("removed /a");
  expect(home.removed).toEqual(["/a"]);
});

test("a call that waits for its client runs as soon as the owner says yes elsewhere, and the client gets its outcome", async () => {
  const home = new Installation();
  const { send, store } = await home.start();
  const asked = askedIn(await send("ada", remove("/a")));
  const [kept] = await store.approvals.list();
  await store.approvals.answer(kept?.id as string, { approved: true, by: "owner:ada" });
  await expect.poll(() => home.removed).toEqual(["/a"]);
  expect(readText(await send("ada", retry("/a", asked, accept("deny"))))).toBe("removed /a");
  expect(home.removed).toEqual(["/a"]);
});

test("a client that can't be asked is told how, and its call runs once when the owner has said yes", async () => {
  const home = new Installation();
  const { send, store } = await home.start();
  const call = () => send("ada", remove("/a"), {});
  const refused = await call();
  const [kept] = await store.approvals.list();
  expect(kept?.approvers).toEqual(["owner:*"]);
  expect(refused.messages[0]?.result).toMatchObject({ isError: true });
  expect(readText(refused)).toContain(`there is nobody to ask here; it is kept as ${kept?.id}`);
  await store.approvals.answer(kept?.id as string, { approved: true, by: "owner:ada" });
  expect(readText(await call())).toBe("removed /a");
  expect(readText(await call())).toMatch(/there is nobody to ask here/);
  expect(home.removed).toEqual(["/a"]);
});

const whereFrom = (seen: ToolContext["origin"][]) =>
  defineTool({
    name: "where",
    description: "Note where the call came from.",
    parameters: { type: "object" },
    ...harmless,
    execute(_args, { origin }) {
      seen.push(origin);
      return "noted";
    },
  });

test("calls of one session or connection have its name in their origin, and requests that stand for themselves none", async () => {
  const seen: ToolContext["origin"][] = [];
  const { server } = startServer([whereFrom(seen)]);
  const http = await serveHttp(server);
  const where = { name: "where", arguments: {} };
  const sessions = [await http.begin(), await http.begin("2025-06-18")];
  for (const session of [sessions[0], sessions[0], sessions[1]]) {
    await http.send("POST", request(1, "tools/call", where), session);
  }
  const [first, again, other] = seen.map((origin) => origin?.session);
  expect(first).toMatch(/^[\w-]{20,}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  // What opens a session on the wire is in no record.
  expect([first, other]).not.toContain(sessions[0]?.["mcp-session-id"]);
  await http.modern(1, "tools/call", where);
  expect(seen.at(-1)).not.toHaveProperty("session");
});

test("on stdio every call of a connection is of one session, in either era", async () => {
  const seen: ToolContext["origin"][] = [];
  const { server } = startServer([whereFrom(seen)]);
  const client = connectLines(server);
  const where = { name: "where", arguments: {} };
  const call = async (message: object): Promise<RpcAnswer> => {
    client.send(message);
    return client.next();
  };
  await call(initialize());
  await call(request(1, "tools/call", where));
  await call(request(2, "tools/call", { ...where, _meta: modernMeta() }));
  const [legacy, modern] = seen.map((origin) => origin?.session);
  expect(legacy).toMatch(/^[\w-]{20,}$/);
  expect(modern).toBe(legacy);
});
