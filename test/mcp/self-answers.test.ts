import { expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../src/testing/index.ts";
import { MemoryApprovals } from "../support/questions.ts";
import { connectLines, initialize, modernMeta, type RpcAnswer, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { removeTool } from "./support/tools.ts";

const forms = { elicitation: {} };
const yes = { action: "accept", content: { decision: "allow once" } };
const no = { action: "decline" };
const closed = { action: "cancel" };
const readingMs = 700;

type Revision = "2025-06-18" | "2026-07-28";

interface Talk {
  readonly approvals: MemoryApprovals;
  readonly clock: FakeClock;
  /** Calls a tool that asks, and answers after `ms`; the text of the result, and whether it was asked. */
  readonly call: (
    path: string,
    answer: object,
    ms: number,
  ) => Promise<{ readonly text: string; readonly asked: boolean }>;
}

async function talk(revision: Revision, approvals = new MemoryApprovals()): Promise<Talk> {
  const clock = createFakeClock();
  const { server } = startServer([removeTool], {
    executor: { rules: [], clock, approvals, howToAllow: (_tool, _verdict, id) => `it is kept as ${id}` },
    server: { clock, readingMs },
  });
  const client = connectLines(server);
  if (revision === "2025-06-18") {
    client.send(initialize(revision, forms));
    await client.next();
  }
  let id = 1;
  const _meta = revision === "2025-06-18" ? {} : { _meta: modernMeta(forms) };
  const send = (path: string, more: object = {}) =>
    client.send(request(++id, "tools/call", { name: "remove", arguments: { path }, ..._meta, ...more }));
  const answerTo = async (message: RpcAnswer, path: string, answer: object) => {
    if (revision === "2025-06-18") {
      client.send({ jsonrpc: "2.0", id: message.id, result: answer });
      return;
    }
    const { requestState, inputRequests } = message.result as {
      requestState: string;
      inputRequests: object;
    };
    send(path, { requestState, inputResponses: { [Object.keys(inputRequests)[0] as string]: answer } });
  };
  return {
    approvals,
    clock,
    async call(path, answer, ms) {
      send(path);
      let message = await client.next();
      const asked =
        message.method === "elicitation/create" || message.result?.["resultType"] === "input_required";
      if (asked) {
        await clock.advance(ms);
        await answerTo(message, path, answer);
        message = await client.next();
      }
      const content = message.result?.["content"] as { text: string }[] | undefined;
      return { asked, text: content?.[0]?.text ?? "" };
    },
  };
}

test.for<[Revision, string, object]>([
  ["2025-06-18", "no", no],
  ["2025-06-18", "yes", yes],
  ["2025-06-18", "misfit", { action: "accept", content: { decision: "whatever" } }],
  ["2026-07-28", "no", no],
  ["2026-07-28", "yes", yes],
])(
  "in %s a %s that comes faster than a person can read leaves the question open",
  async ([revision, , answer]) => {
    const { call, approvals } = await talk(revision);
    const { text } = await call("/a", answer, readingMs - 1);
    const id = approvals.kept[0]?.approval.id as string;
    expect(text).toContain("there is nobody to ask here (the client answered before a person can have read");
    expect(text).toContain(`it is kept as ${id}`);
    expect(approvals.kept[0]?.answer).toBeUndefined();
    await approvals.answer(id, { approved: true, by: "owner:ada" });
    expect((await call("/a", no, 0)).asked).toBe(false);
  },
);

test.for<Revision>(["2025-06-18", "2026-07-28"])(
  "in %s an answer that a person has had time for counts, but for a form that was closed",
  async (revision) => {
    const { call, approvals } = await talk(revision);
    expect((await call("/a", yes, readingMs)).text).toContain("removed /a");
    expect((await call("/b", no, readingMs)).text).toContain("said no (declined)");
    expect((await call("/c", closed, 60_000)).text).toContain(
      "there is nobody to ask here (the client closed the question without an answer)",
    );
    expect(approvals.kept.map(({ answer }) => answer?.approved)).toEqual([true, false, undefined]);
  },
);

test("a client that answers by itself is not asked any more in its session, and is not braked for it", async () => {
  const { call, approvals } = await talk("2025-06-18");
  const results: { readonly text: string; readonly asked: boolean }[] = [];
  for (let at = 0; at < 12; at++) results.push(await call(`/${at}`, no, 3));
  expect(results.map(({ asked }) => asked)).toEqual([
    true,
    true,
    true,
    ...Array.from({ length: 9 }, () => false),
  ]);
  expect(results.at(-1)?.text).toContain("so it is not asked any more in this session");
  expect(results.every(({ text }) => text.includes("it is kept as a_"))).toBe(true);
  expect(approvals.kept.map(({ answer }) => answer)).toEqual(Array.from({ length: 12 }));
});

test("while somebody watches, the call of a client that answers by itself waits for them, and its client is told", async () => {
  class Watched extends MemoryApprovals {
    watched(): boolean {
      return true;
    }
  }
  const approvals = new Watched();
  const clock = createFakeClock();
  const { server } = startServer([removeTool], {
    executor: { rules: [], clock, approvals },
    server: { clock, readingMs },
  });
  const client = connectLines(server);
  client.send(initialize("2025-06-18", forms));
  await client.next();
  client.send(
    request(2, "tools/call", { name: "remove", arguments: { path: "/a" }, _meta: { progressToken: "p" } }),
  );
  const asked = await client.next();
  client.send({ jsonrpc: "2.0", id: asked.id, result: no });
  const told = await client.next();
  const id = approvals.kept[0]?.approval.id as string;
  expect(told).toMatchObject({
    method: "notifications/progress",
    params: { progressToken: "p", progress: 0, message: `waits for your answer (${id})` },
  });
  await clock.advance(10_000);
  expect((await client.next()).params?.["progress"]).toBeGreaterThan(0);
  await approvals.answer(id, { approved: true, by: "owner:ada" });
  expect((await client.next()).result).toMatchObject({ content: [{ text: "removed /a" }] });
});
