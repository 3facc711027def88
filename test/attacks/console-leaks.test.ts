import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { ConsoleWorld, consoleApi } from "../support/console-world.ts";

const secret = "ghp_canary0123456789canary0123456789";

test.for([
  "/calls",
  "/calls/count?by=agent",
  "/calls/ID",
  "/now",
  "/questions?state=all",
  "/questions/QUESTION",
])("what was recorded before it was known to be a secret is not shown: %s", async (path) => {
  const world = await ConsoleWorld.open("permissions: [{ tool: write, decision: ask }]");
  const { app } = world.opened;
  const token = await world.openSession();
  const { callId } = await app.executor.run("glob", { pattern: secret }, { ...app.context, agentId: secret });
  const { approvals } = await app.store();
  const stop = await approvals.watch({ kind: "console", identity: "owner:console" });
  const params = { path: `${secret}.txt`, content: secret };
  const asking = app.executor.run("write", params, app.context);
  await vi.waitFor(async () => expect(await approvals.list({ state: "pending" })).toHaveLength(1), 30_000);
  const [question] = await approvals.list({ state: "pending" });
  await app.secrets.set("local", "GITHUB", secret);
  const named = path.replace("QUESTION", question?.id ?? "").replace("ID", callId);
  const answer = await world.ask("GET", named, { token });
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain("canary");
  await approvals.answer(question?.id ?? "", { approved: false, by: "owner:ada" });
  await asking;
  await stop();
});

test("an error names no secret", async () => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  await world.opened.app.secrets.set("local", "GITHUB", secret);
  for (const path of [`/tools/${secret}`, `/calls/${secret}`, `/trace/${secret}`, `/calls?${secret}=1`]) {
    const answer = await world.ask("GET", path, { token });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain("canary");
  }
});

test("a tab that is gone before its stream begins leaves none behind: calls wait for nobody", async () => {
  const world = await ConsoleWorld.open();
  const { app } = world.opened;
  const token = await world.openSession();
  const { approvals } = await app.store();
  const records = app.records.bind(app);
  let closed: Promise<unknown> = Promise.resolve();
  const asked = Promise.withResolvers<void>();
  const spy = vi.spyOn(app, "records").mockImplementation(async () => {
    asked.resolve();
    await closed;
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    return records();
  });
  const watching = vi.spyOn(approvals, "watch");
  const socket = connect(world.port, "127.0.0.1");
  closed = once(socket, "close");
  socket.write(
    `GET ${consoleApi}/stream HTTP/1.1\r\nHost: ${world.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await asked.promise;
  socket.destroy();
  await vi.waitFor(() => expect(spy.mock.settledResults[0]?.type).toBe("fulfilled"), 30_000);
  // Whoever listens is asked each 15 s whether it is there, and keeps its session.
  for (let minute = 0; minute < 240; minute++) await world.clock.advance(15_000);
  expect(watching.mock.calls.length).toBe(0);
  expect(world.console.sessions.list()).toEqual([]);
});
