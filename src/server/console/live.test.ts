import { expect, onTestFinished, test } from "vitest";
import { ConsoleWorld, consoleApi } from "../../../test/support/console-world.ts";

interface OpenStream {
  readonly status: number;
  /** Reads on until the text of all that came fits; rejects at the end. */
  until(text: string): Promise<string>;
  /** Resolves once the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

async function openStream(world: ConsoleWorld, token: string, after = ""): Promise<OpenStream> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const answer = await fetch(`http://${world.host}${consoleApi}/stream${after}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  let said = "";
  let wake: () => void = () => {};
  let isOver = false;
  const ended = (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of answer.body ?? []) {
        said += decoder.decode(chunk as Uint8Array);
        wake();
      }
    } catch {
      // It was closed here.
    }
    isOver = true;
    wake();
  })();
  return {
    status: answer.status,
    async until(text) {
      while (!said.includes(text)) {
        if (isOver) throw new Error(`The stream ended after ${said}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return said;
    },
    ended,
    close: () => stop.abort(),
  };
}

test("a tab is told of calls as they come, and goes on from where it was", async () => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  const stream = await openStream(world, token);
  expect(stream.status).toBe(200);
  const began = await stream.until("data: []");
  const cursor = /^id: (\S+)$/m.exec(began)?.[1] ?? "";
  const { callId } = await world.opened.call("glob", { pattern: "*" });
  await world.clock.advance(200);
  expect(await stream.until(callId)).toContain('"kind":"call"');
  stream.close();
  const again = await openStream(world, token, `?after=${cursor}`);
  await again.until("data: []");
  await world.clock.advance(50);
  expect(await again.until(callId)).toContain('"kind":"call"');
  expect(await world.ask("GET", "/stream?after=x", { token })).toMatchObject({
    status: 400,
    body: { code: "CONSOLE_INPUT" },
  });
});

test("a stream ends with its session, and with the next stream of the same tab", async () => {
  const world = await ConsoleWorld.open();
  const [token, other] = [await world.openSession(), await world.openSession()];
  const first = await openStream(world, token);
  const elsewhere = await openStream(world, other);
  await first.until("data");
  const second = await openStream(world, token);
  await first.ended;
  await second.until("data");
  await world.ask("DELETE", "/session", { token });
  await second.ended;
  expect(await elsewhere.until("data")).toContain("id: ");
  await world.console.close();
  await elsewhere.ended;
});

test("calls wait for an answer as long as a tab listens, and no longer", async () => {
  const world = await ConsoleWorld.open();
  const { approvals } = await world.opened.app.store();
  const isWatched = () => approvals.watched(["owner:*"]);
  const token = await world.openSession();
  expect(await isWatched()).toBe(false);
  const stream = await openStream(world, token);
  await stream.until("data");
  expect(await isWatched()).toBe(true);
  const file = world.place.write("outside/a.txt", "text of a file");
  const waiting = world.opened.call("read", { path: file });
  await expect
    .poll(async () => (await world.ask("GET", "/questions", { token })).body)
    .toMatchObject([{ state: "pending", toolName: "read" }]);
  const [question] = await approvals.list({ state: "pending" });
  const path = `/questions/${question?.id}`;
  const { body } = await world.ask("GET", path, { token });
  const { digest } = (body as { readonly question: { readonly digest: string } }).question;
  await world.ask("POST", `${path}/answer`, { token, body: { decision: "approve", digest } });
  expect(await waiting).toMatchObject({ success: true });
  stream.close();
  await expect.poll(isWatched).toBe(false);
});

test("a session does not end for want of requests while its tab listens, but in its time", async () => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  const stream = await openStream(world, token);
  await stream.until("data");
  await world.clock.advance(4 * 3_600_000);
  expect(world.console.sessions.list()).toHaveLength(1);
  await world.clock.advance(8 * 3_600_000);
  await stream.ended;
  expect(world.console.sessions.list()).toEqual([]);
});
