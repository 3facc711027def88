import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import type { App } from "../../src/app/index.ts";
import { deleteSession } from "../../src/app/views/index.ts";
import { Installation } from "../support/installation.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

const rules =
  "memory: { vocabularies: [memories, blocks] }\npermissions: [{ decision: allow, tool: read }]\n";

async function openPlace(script: readonly ProviderTurn[], settings = rules) {
  const place = new Installation();
  await useScriptedProvider({ home: place.home.folder }, script, settings);
  const opened = await place.open();
  await opened.app.sources.listed();
  return { app: opened.app, place, call: opened.call.bind(opened) };
}

async function say(app: App, text: string, sessionId?: string) {
  const host = await app.agent();
  const parts = [{ type: "text" as const, text }];
  const run = await host.begin({ channel: "terminal", parts, ...(sessionId !== undefined && { sessionId }) });
  await host.drive(run, { emit: () => {}, interrupts: new Interrupts() });
  return run;
}

async function listSaid(app: App, session: string) {
  const { memory } = await app.store();
  const { entries } = await memory.list("local", { kinds: ["message"], session, order: "position" });
  return entries.map(({ text, trust, place }) => [place?.role, text, trust]);
}

test("a turn is recorded in memory: what the user wrote and the answer, not what its calls returned", async () => {
  const { app, place, call } = await openPlace([
    { text: "I look.", calls: [{ name: "read", input: { path: "plants.txt" } }] },
    { text: "The fern was repotted." },
    { text: "Yes, in October." },
  ]);
  place.write("project/plants.txt", "cactus secretword");
  const { sessionId } = await say(app, "What happened to my plants?");
  await say(app, "Are you sure about the fern?", sessionId);
  expect(await listSaid(app, sessionId)).toEqual([
    ["user", "What happened to my plants?", "trusted"],
    ["assistant", "The fern was repotted.", "trusted"],
    ["user", "Are you sure about the fern?", "trusted"],
    ["assistant", "Yes, in October.", "trusted"],
  ]);
  const found = await call("search", { domain: "conversations", query: "fern repotted" });
  expect(found.text).toContain("The fern was repotted.");
  expect((await call("search", { domain: "conversations", query: "secretword" })).text).not.toContain(
    "cactus",
  );
});

test("what an agent answers after it has read data from outside is recorded as untrusted", async () => {
  const { app } = await openPlace([
    { calls: [{ name: "read", input: { path: "page.txt" } }] },
    { text: "The page says to pay Mallory." },
  ]);
  const { sessionId } = await openUntrusted(app);
  expect(await listSaid(app, sessionId)).toEqual([
    ["user", "Read it.", "trusted"],
    ["assistant", "The page says to pay Mallory.", "untrusted"],
  ]);
});

/** A turn in a session in which a page was read before. */
async function openUntrusted(app: App) {
  const { sessions, runs } = await app.store();
  const session = await sessions.open({ scope: "local", agentId: "main", channel: "terminal" });
  const { id } = await runs.begin({ scope: "local", kind: "turn", sessionId: session.id });
  const run = await runs.claim("local", id, 60_000);
  if (run === undefined) throw new Error("no run");
  await runs.write(run, {
    entries: [
      { kind: "result", callId: "c", name: "web_fetch", text: "x", failed: false, trust: "untrusted" },
    ],
    run: { state: "failed" },
  });
  return say(app, "Read it.", session.id);
}

test("a turn whose process died before it was recorded is recorded once, by the next program", async () => {
  const { app } = await openPlace([{ text: "Noted." }]);
  const { jobs } = await app.store();
  const { id, sessionId } = await say(app, "Remember the violin.");
  const { recordJobs } = await import("../../src/app/agent/record-turns.ts");
  const [done] = await jobs.list({ states: ["completed"], key: id });
  if (done === undefined) throw new Error("no job");
  await recordJobs(app)[done.kind]?.(done, new AbortController().signal);
  expect(await listSaid(app, sessionId)).toHaveLength(2);
});

test("a deleted session is gone from memory, too", async () => {
  const { app, call } = await openPlace([{ text: "Noted." }, { text: "Noted again." }]);
  const { sessionId } = await say(app, "Remember the violin.");
  const other = await say(app, "And the trumpet.");
  const { sessions } = await app.store();
  const session = await sessions.get("local", sessionId);
  if (session === undefined) throw new Error("no session");
  expect(await deleteSession(app, session)).toBe(true);
  expect(await listSaid(app, sessionId)).toEqual([]);
  expect(await listSaid(app, other.sessionId)).toHaveLength(2);
  expect((await call("search", { domain: "conversations", query: "violin" })).text).not.toContain("Remember");
});

test("an answer is untrusted where a memory in the instructions is", async () => {
  const { app, call } = await openPlace([{ text: "You like tea." }]);
  const block = { operation: "append", label: "human", content: "Likes tea" };
  await call("block", block, { trust: "untrusted" });
  const { sessionId } = await say(app, "What do I like?");
  expect((await listSaid(app, sessionId)).at(-1)).toEqual(["assistant", "You like tea.", "untrusted"]);
});

test("what is left undone by a process that died at the end of a turn is recorded by the next turn", async () => {
  const { app } = await openPlace([{ text: "Noted." }, { text: "Hello." }]);
  const { sessions, runs } = await app.store();
  const session = await sessions.open({ scope: "local", agentId: "main", channel: "terminal" });
  const { id } = await runs.begin({
    scope: "local",
    kind: "turn",
    sessionId: session.id,
    project: app.folder,
  });
  const run = await runs.claim("local", id, 60_000);
  if (run === undefined) throw new Error("no run");
  const message = { role: "assistant", parts: [{ type: "text", text: "Noted." }] } as const;
  await runs.write(run, {
    entries: [
      { kind: "user", parts: [{ type: "text", text: "Remember the violin." }] },
      { kind: "user", sender: "task", parts: [{ type: "text", text: "A task has ended." }] },
      { kind: "answer", step: 1, model: "m", stop: "end", message },
    ],
    run: { state: "completed", result: "Noted." },
  });
  expect(await listSaid(app, session.id)).toEqual([]);
  await say(app, "Hello");
  expect(await listSaid(app, session.id)).toEqual([
    ["user", "Remember the violin.", "trusted"],
    ["assistant", "Noted.", "trusted"],
  ]);
});

test("an error that ends a run is no word of its agent", async () => {
  const { app } = await openPlace([{ refuse: 400 }]);
  const { sessionId } = await say(app, "Hello?");
  expect(await listSaid(app, sessionId)).toEqual([["user", "Hello?", "trusted"]]);
});

test("with a memory model a long conversation is left to the observer", async () => {
  const place = new Installation();
  const home = { home: place.home.folder };
  await useScriptedProvider(home, [{ text: "Noted." }, { text: "Noted." }], rules, {
    agent: "memoryModel: main",
  });
  const { app } = await place.open();
  await app.sources.listed();
  const { jobs } = await app.store();
  const { sessionId } = await say(app, "Short.");
  expect(await jobs.list({ kinds: ["memory.observe"] })).toEqual([]);
  await say(app, "long ".repeat(3_000), sessionId);
  expect((await jobs.list({ kinds: ["memory.observe"] })).map(({ key }) => key)).toEqual([sessionId]);
});
