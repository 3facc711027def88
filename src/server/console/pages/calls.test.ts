import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ConsoleWorld } from "../../../../test/support/console-world.ts";
import type { CallsPage } from "../../../app/index.ts";
import type { CallDetail, Now } from "../api/index.ts";

async function openWorld() {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  const get = async <Answer>(path: string) => (await world.ask("GET", path, { token })).body as Answer;
  return { world, token, get };
}

test("calls are listed by what is asked for, a page at a time", async () => {
  const { world, token, get } = await openWorld();
  const { opened } = world;
  for (const pattern of ["a", "b", "c"]) await opened.call("glob", { pattern });
  await opened.call("read", { path: "gone.txt" });
  const { rows, head, more } = await get<CallsPage>("/calls?tools=glob&limit=2");
  const patterns = ({ rows: some }: CallsPage) => some.map((call) => JSON.parse(call.paramsText).pattern);
  expect(patterns({ rows, head, more })).toEqual(["c", "b"]);
  expect(more).toBe(true);
  const before = rows[1]?.seq;
  const next = await get<CallsPage>(`/calls?tools=glob&limit=2&before=${before}`);
  expect(patterns(next)).toEqual(["a"]);
  expect(next).toMatchObject({ head, more: false });
  expect(await get<CallsPage>("/calls?states=failed,denied")).toMatchObject({ rows: [{ toolName: "read" }] });
  expect(await get("/calls/count?by=tool")).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ value: "glob", calls: 3, failed: 0 })]),
  );
  for (const query of ["x=1", "limit=501", "limit=0", "states=odd", "before=1&after=1", "since=soon"])
    expect(await world.ask("GET", `/calls?${query}`, { token })).toMatchObject({
      status: 400,
      body: { code: "CONSOLE_INPUT" },
    });
  expect(await world.ask("GET", "/calls/count", { token })).toMatchObject({ status: 400 });
});

test("a call that changed a file is shown with it, and undone through the gate", async () => {
  const { world, token, get } = await openWorld();
  const file = world.place.write("project/a.txt", "before\n");
  await world.opened.call("read", { path: "a.txt" });
  const changed = await world.opened.call("write", { path: "a.txt", content: "after\n" });
  const id = changed.callId;
  const detail = await get<CallDetail>(`/calls/${id}`);
  expect(detail).toMatchObject({
    call: { callId: id, toolName: "write", state: "completed" },
    inner: [],
    undoable: [{ path: file, change: "changed" }],
    command: `haft audit ${id}`,
  });
  const undone = await world.ask("POST", `/calls/${id}/undo`, { token, body: {} });
  expect(undone).toMatchObject({ status: 200, body: { text: expect.any(String) } });
  expect(readFileSync(file, "utf8")).toBe("before\n");
  const { rows } = await get<CallsPage>("/calls?tools=undo_changes");
  expect(rows).toMatchObject([{ channel: "console", userId: "person:console" }]);
  expect((await get<CallDetail>(`/calls/${id}`)).undoable).toEqual([]);
  expect(await world.ask("POST", `/calls/${id}/undo`, { token, body: {} })).toMatchObject({
    status: 422,
    body: { code: "UNDO_UNKNOWN" },
  });
  expect(await world.ask("GET", "/calls/c_unknown", { token })).toMatchObject({
    status: 404,
    body: { code: "CONSOLE_NOT_FOUND" },
  });
});

test("undoing what lies outside the project asks, and the question waits for its answer", async () => {
  const { world, token } = await openWorld();
  const file = world.place.write("outside/a.txt", "before\n");
  const agreed = { identity: "owner:ada", ask: async () => ({ approved: true as const, by: "owner:ada" }) };
  const changed = await world.opened.call(
    "edit",
    { path: file, old_string: "before", new_string: "after" },
    { approver: agreed },
  );
  const path = `/calls/${changed.callId}/undo`;
  expect(await world.ask("POST", path, { token, body: {} })).toMatchObject({
    status: 422,
    body: { code: "TOOL_PERMISSION" },
  });
  expect(await world.ask("GET", "/questions", { token })).toMatchObject({
    body: [{ toolName: "undo_changes", state: "pending" }],
  });
  expect(readFileSync(file, "utf8")).toBe("after\n");
});

test("the calls that run are shown, and cancelled by the person at the console", async () => {
  const { world, token, get } = await openWorld();
  const pending = world.opened.call("sleep", { duration: 60 });
  let running: Now["running"] = [];
  await expect
    .poll(async () => {
      ({ running } = await get<Now>("/now"));
      return running.length;
    })
    .toBe(1);
  const [call] = running;
  const cancel = (id: string) => world.ask("POST", `/calls/${id}/cancel`, { token, body: {} });
  expect(await cancel(call?.callId ?? "")).toMatchObject({ status: 200, body: { cancelled: true } });
  expect(await pending).toMatchObject({
    code: "TOOL_CANCELLED",
    error: expect.stringContaining("a person in the console cancelled it"),
  });
  expect(await cancel(call?.callId ?? "")).toMatchObject({ status: 200, body: { cancelled: false } });
  expect(await cancel("c_unknown")).toMatchObject({ status: 404 });
  expect(await get<Now>("/now")).toMatchObject({
    version: "1.2.3",
    folder: world.opened.app.folder,
    running: [],
    questions: [],
    trouble: [],
    today: { costMicros: 0, unpriced: 0, calls: 1 },
  });
});

test("a call of another process is cancelled by that process", async () => {
  const { world, token } = await openWorld();
  const other = await world.place.open();
  const client = { name: "other-client", version: "1" };
  const pending = other.call(
    "sleep",
    { duration: 60 },
    { callId: "c_elsewhere", origin: { channel: "mcp", client } },
  );
  const cancel = () => world.ask("POST", "/calls/c_elsewhere/cancel", { token, body: {} });
  await expect.poll(async () => (await cancel()).body).toEqual({ cancelled: true, elsewhere: true });
  expect(await pending).toMatchObject({
    code: "TOOL_CANCELLED",
    error: expect.stringContaining("a person in the console cancelled it"),
  });
});

test("the proof of the ledger is made at a click", async () => {
  const { world, token } = await openWorld();
  await world.opened.call("glob", { pattern: "a" });
  const verified = await world.ask("POST", "/verify", { token, body: { all: true } });
  expect(verified).toMatchObject({ status: 200, body: { valid: true } });
  expect(await world.ask("POST", "/verify", { token, body: { every: true } })).toMatchObject({ status: 400 });
});

test("a call that only reads is replayed through the gate, and one that changes things is not run again", async () => {
  const { world, token, get } = await openWorld();
  world.place.write("project/a.txt", "as it was\n");
  const read = await world.opened.call("read", { path: "a.txt" });
  const wrote = await world.opened.call("write", { path: "b.txt", content: "once" });
  const replay = async (id: string) =>
    (await world.ask("POST", `/calls/${id}/replay`, { token, body: {} })).body;
  const { callId } = read;
  expect(await replay(callId)).toEqual({
    replayed: { callId, toolName: "read", outcome: "same", why: "it gives the same result" },
    taskId: `replay:${callId}`,
    command: `haft replay ${callId}`,
  });
  const { rows } = await get<CallsPage>(`/calls?taskId=replay:${callId}`);
  expect(rows).toMatchObject([{ toolName: "read", state: "completed", userId: "person:console" }]);
  world.place.write("project/a.txt", "as it is\n");
  expect(await replay(callId)).toMatchObject({
    replayed: {
      outcome: "different",
      what: "result",
      recorded: expect.stringContaining("as it was"),
      now: expect.stringContaining("as it is"),
    },
  });
  expect(await replay(wrote.callId)).toMatchObject({ replayed: { outcome: "stands" } });
  expect((await get<CallsPage>("/calls?tools=write")).rows).toHaveLength(1);
  expect(await world.ask("POST", "/calls/c_unknown/replay", { token, body: {} })).toMatchObject({
    status: 404,
    body: { code: "CONSOLE_NOT_FOUND" },
  });
});
