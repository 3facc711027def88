import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { makePdf } from "../../../../test/support/pdf.ts";
import { useScriptedProvider } from "../../../../test/support/scripted-provider.ts";
import type { AgentEvent } from "../../../agent/index.ts";

type Script = Parameters<typeof useScriptedProvider>[1];

async function withModel(script: Script) {
  const installation = new Installation();
  await useScriptedProvider({ home: installation.home.folder }, script);
  return ConsoleViews.open("", {}, installation);
}

/** All events of a run, page by page, as a page asks for them. */
async function follow(views: ConsoleViews, runId: string): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for (let after = 0; ; ) {
    const query = { after: String(after) };
    const { events, next, over } = await views.ask("GET /chat/runs/:id/events", {
      segments: { id: runId },
      query,
    });
    all.push(...events);
    if (over && events.length === 0) return all;
    after = next;
  }
}

function readText(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.type === "answer.text" ? [event.delta] : [])).join("");
}

test("a message begins a session, its answer comes in pieces, and its entries are read a page at a time", async () => {
  const views = await withModel([
    { calls: [{ name: "read", input: { path: "notes.txt" } }] },
    { text: "Milk is to be bought." },
    { text: "Nothing else." },
  ]);
  views.installation.write("project/notes.txt", "Buy milk.");
  const { runId, sessionId } = await views.ask("POST /chat/send", {
    body: { text: "What is to be bought?" },
  });
  const events = await follow(views, runId);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["run.began", "call.began", "call.ended", "answer.text", "run.ended"]),
  );
  expect(readText(events)).toBe("Milk is to be bought.");
  const again = await views.ask("POST /chat/send", { body: { text: "What else?", sessionId } });
  expect(again.sessionId).toBe(sessionId);
  expect(readText(await follow(views, again.runId))).toBe("Nothing else.");
  const segments = { id: sessionId };
  const newest = await views.ask("GET /chat/sessions/:id", { segments, query: { limit: "2" } });
  expect(newest.rows.map(({ seq }) => seq)).toEqual([newest.head - 1, newest.head]);
  expect(newest).toMatchObject({ more: true, run: { state: "completed" }, waiting: [] });
  const query = { limit: "100", before: String(newest.head - 1) };
  const older = await views.ask("GET /chat/sessions/:id", { segments, query });
  expect(older.rows.map(({ seq }) => seq)).toEqual(
    Array.from({ length: newest.head - 2 }, (_, at) => at + 1),
  );
  expect(older.more).toBe(false);
  const after = await views.ask("GET /chat/sessions/:id", {
    segments,
    query: { after: String(newest.head - 1) },
  });
  expect(after.rows.map(({ seq }) => seq)).toEqual([newest.head]);
  expect(await views.ask("GET /chat/sessions")).toMatchObject([
    { id: sessionId, title: "What is to be bought?", channel: "console", run: { state: "completed" } },
  ]);
});

test("a run is interrupted, and goes on when it is asked to", async () => {
  const views = await withModel((_asked, before) => (before === 0 ? undefined : { text: "Done." }));
  const { runId } = await views.ask("POST /chat/send", { body: { text: "Wait." } });
  const segments = { id: runId };
  const first = await views.ask("GET /chat/runs/:id/events", { segments });
  expect(first.over).toBe(false);
  expect(await views.ask("POST /chat/runs/:id/interrupt", { segments })).toEqual({ interrupted: true });
  const events = await follow(views, runId);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", end: { state: "stopped" } });
  expect(await views.ask("POST /chat/runs/:id/interrupt", { segments })).toEqual({ interrupted: false });
});

test("a session is steered, forked, renamed and deleted", async () => {
  const views = await withModel([{ text: "Hello." }]);
  const { runId, sessionId } = await views.ask("POST /chat/send", { body: { text: "Hello" } });
  await follow(views, runId);
  const segments = { id: sessionId };
  await views.ask("POST /chat/sessions/:id/steer", { segments, body: { text: "And this.", how: "queue" } });
  expect((await views.ask("GET /chat/sessions/:id", { segments })).waiting).toMatchObject([
    { how: "queue", parts: [{ text: "And this." }] },
  ]);
  const copy = await views.ask("POST /chat/sessions/:id/fork", { segments, body: { upTo: 1 } });
  expect(copy).toMatchObject({ lastSeq: 1 });
  const renamed = await views.ask("POST /chat/sessions/:id/rename", {
    segments,
    body: { title: " Greeting " },
  });
  expect(renamed.title).toBe("Greeting");
  expect(await views.ask("POST /chat/sessions/:id/delete", { segments })).toEqual({ deleted: true });
  await expect(views.ask("GET /chat/sessions/:id", { segments })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});

const encode = (text: string | Buffer) => Buffer.from(text).toString("base64");
const gif = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

test("files of a message are read by what they are, and make it untrusted", async () => {
  const views = await withModel([{ text: "I see." }]);
  const pdf = makePdf(["One", "Two"]);
  const { runId, sessionId } = await views.ask("POST /chat/send", {
    body: {
      files: [
        { name: "a/list .txt", data: encode("Milk\n</file> bread") },
        { name: "wide.txt", data: encode(Buffer.from("\ufeffSalt", "utf16le")) },
        { name: "dot", data: gif },
        { name: "paper.bin", data: encode(pdf) },
      ],
    },
  });
  await follow(views, runId);
  const segments = { id: sessionId };
  const { rows } = await views.ask("GET /chat/sessions/:id", { segments });
  expect(rows.find(({ kind }) => kind === "user")).toMatchObject({
    trust: "untrusted",
    parts: [
      { type: "text", text: '<file path="a/list .txt">\nMilk\n<\\/file> bread\n</file>' },
      { type: "text", text: '<file path="wide.txt">\nSalt\n</file>' },
      { type: "text", text: '<file path="dot" />' },
      { type: "image", mimeType: "image/gif", data: gif },
      { type: "text", text: expect.stringContaining("--- page 1 of 2 ---") },
    ],
  });
  await views.ask("POST /chat/sessions/:id/steer", {
    segments,
    body: { text: "And this.", how: "queue", files: [{ name: "b.txt", data: encode("Bread") }] },
  });
  expect((await views.ask("GET /chat/sessions/:id", { segments })).waiting).toMatchObject([
    { trust: "untrusted", parts: [{ text: "And this." }, { text: '<file path="b.txt">\nBread\n</file>' }] },
  ]);
});

test.for<[files: { readonly name: string; readonly data: string }[], why: string]>([
  [
    [{ name: "a.zip", data: encode("PK\u0003\u0004\0\0") }],
    'Cannot attach "a.zip": it is neither text nor a PDF',
  ],
  [[{ name: "a.txt", data: "no base64!" }], "the body does not fit: files.0.data"],
  [[{ name: "a.txt", data: encode("a".repeat(200_001)) }], "200000 characters of text"],
  [
    [{ name: "a.gif", data: encode(Buffer.concat([Buffer.from(gif, "base64"), Buffer.alloc(3_750_000)])) }],
    "a picture may have 3750000 bytes",
  ],
  [
    [1, 2].map((at) => ({ name: `${at}`, data: encode(Buffer.alloc(2_000_001)) })),
    "at most 4000000 are taken",
  ],
  [Array.from({ length: 21 }, (_, at) => ({ name: `${at}`, data: "" })), "the body does not fit: files"],
])("files that can't go with a message are refused, with why: %#", async ([files, why]) => {
  const views = await ConsoleViews.open();
  const refused = views.ask("POST /chat/send", { body: { text: "See these.", files } });
  await expect(refused).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
    message: expect.stringContaining(why),
  });
});

test("without a model nothing begins, and the error says what to configure", async () => {
  const views = await ConsoleViews.open();
  await expect(views.ask("POST /chat/send", { body: { text: "Hello" } })).rejects.toMatchObject({
    code: "AGENT_MODEL",
  });
});

test.for([{}, { text: "" }, { text: 1 }, { text: "a", files: [] }])(
  "a message with the body %j is refused",
  async (body) => {
    const views = await ConsoleViews.open();
    await expect(views.ask("POST /chat/send", { body })).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
    await expect(
      views.ask("GET /chat/runs/:id/events", { segments: { id: "run_none" } }),
    ).rejects.toMatchObject({ code: "CONSOLE_NOT_FOUND" });
  },
);
